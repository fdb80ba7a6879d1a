import { describe, expect, it } from 'vitest'
import { CLIENT, drive, initializeResult, legacyServer, modernServer } from '../../test/scripted-peer.ts'
import type { JsonObject } from './json.ts'
import { MESSAGES } from './messages.ts'
import { createNegotiation, type Negotiation } from './negotiation.ts'
import { REVISIONS } from './versions.ts'

const MANUAL = { uri: 'docs://manual/current' }

function connect(capabilities: JsonObject, version = '2025-11-25', client: JsonObject = {}): Negotiation {
  const modern = version >= '2026'
  const n = createNegotiation({
    transport: 'stdio',
    versions: [version],
    client: { info: CLIENT.info, capabilities: client },
  })
  drive(
    n,
    modern
      ? modernServer('stdio', { versions: [version], capabilities })
      : legacyServer({ versions: [version], capabilities }),
  )
  expect(n.state).toBe('ready')
  return n
}

const allowed = (n: Negotiation, method: string, params?: JsonObject) => n.can(method, params).allowed

describe('the four declarations of a manual server', () => {
  const cases: [string, JsonObject, boolean, boolean][] = [
    ['{resources:{}}', { resources: {} }, true, false],
    ['{resources:{subscribe:true}}', { resources: { subscribe: true } }, true, true],
    ['{}', {}, false, false],
    ['{resources:{listChanged:true}}', { resources: { listChanged: true } }, true, false],
  ]

  it.each(cases)(
    '%s: notifications/initialized first, then read and subscribe as declared',
    (_, capabilities, read, subscribe) => {
      const n = createNegotiation({ transport: 'stdio', client: CLIENT, policy: { era: 'legacy' } })
      n.start()
      expect(n.admit('resources/read', MANUAL)).toEqual({ do: 'wait' })
      const step = n.receive(initializeResult(capabilities))
      expect(step).toMatchObject({ do: 'send', message: { method: 'notifications/initialized' } })
      expect(n.admit('resources/read', MANUAL)).toEqual({ do: 'wait' })
      n.receive({ kind: 'sent' })
      expect(n.version).toBe('2025-11-25')
      expect(n.admit('resources/read', MANUAL).do).toBe(read ? 'send' : 'refuse')
      expect(n.admit('resources/subscribe', MANUAL).do).toBe(subscribe ? 'send' : 'refuse')
    },
  )

  it('a missing subscribe never hides reading: one scenario, with and without it', () => {
    for (const capabilities of [{ resources: {} }, { resources: { subscribe: true } }]) {
      const n = connect(capabilities)
      for (const method of ['resources/list', 'resources/templates/list', 'resources/read']) {
        expect(n.admit(method, MANUAL)).toEqual({ do: 'send' })
      }
    }
  })
})

describe.each(['2025-11-25', '2026-07-28'])('declarations in %s', (version) => {
  const FAMILIES = { tools: 'tools/list', resources: 'resources/list', prompts: 'prompts/list' }

  it.each(Object.entries(FAMILIES))(
    'the presence of %s is support: {} and flags count, absent and null do not',
    (family, list) => {
      expect(allowed(connect({ [family]: {} }, version), list)).toBe(true)
      expect(allowed(connect({ [family]: { listChanged: true } }, version), list)).toBe(true)
      expect(allowed(connect({ [family]: { listChanged: false } }, version), list)).toBe(true)
      expect(connect({}, version).can(list)).toMatchObject({
        allowed: false,
        why: 'not-declared',
        missing: family,
      })
      expect(allowed(connect({ [family]: null }, version), list)).toBe(false)
    },
  )

  it.each<[string, unknown]>([
    ['false', false],
    ['null', null],
    ['the text "true"', 'true'],
    ['1', 1],
    ['an object', {}],
    ['absent', undefined],
  ])('listChanged is off when it is %s', (_, value) => {
    const n = connect({ tools: value === undefined ? {} : { listChanged: value as never } }, version)
    expect(n.accepts('notifications/tools/list_changed')).toMatchObject({
      allowed: false,
      missing: 'tools.listChanged',
    })
    expect(allowed(n, 'tools/list')).toBe(true)
  })

  it.each<[string, unknown]>([
    ['false', false],
    ['null', null],
    ['the text "true"', 'true'],
    ['1', 1],
    ['an object', {}],
  ])('subscribe is off when it is %s, and reading is not', (_, value) => {
    const n = connect({ resources: { subscribe: value as never } }, version)
    const listen = { notifications: { resourceSubscriptions: [MANUAL.uri] } }
    expect([allowed(n, 'resources/subscribe', MANUAL), allowed(n, 'subscriptions/listen', listen)]).toEqual([
      false,
      false,
    ])
    expect(n.accepts('notifications/resources/updated')).toMatchObject({ missing: 'resources.subscribe' })
    for (const method of ['resources/list', 'resources/templates/list', 'resources/read']) {
      expect(allowed(n, method, MANUAL)).toBe(true)
    }
  })

  it('no flag is inferred from another', () => {
    const n = connect({ resources: { listChanged: true }, tools: {} }, version)
    expect(n.accepts('notifications/resources/list_changed').allowed).toBe(true)
    expect(n.accepts('notifications/resources/updated').allowed).toBe(false)
    expect(n.accepts('notifications/tools/list_changed').allowed).toBe(false)
    expect(allowed(n, 'prompts/list')).toBe(false)
  })

  it.each<[string, unknown]>([
    ['true', true],
    ['a text', 'yes'],
    ['a list', []],
    ['null', null],
  ])('a family that is %s fails closed with a diagnostic, and the others stay usable', (_, value) => {
    const n = connect({ tools: value as never, prompts: {} }, version)
    expect(n.diagnostics).toMatchObject([{ code: 'malformed-capability', path: 'tools' }])
    expect([allowed(n, 'tools/list'), allowed(n, 'prompts/list')]).toEqual([false, true])
  })

  it('a server without tools refuses tools/* locally and says what to do instead', () => {
    const n = connect({ prompts: {} }, version)
    for (const method of ['tools/list', 'tools/call']) {
      expect(n.can(method)).toMatchObject({
        allowed: false,
        missing: 'tools',
        instead: 'treat the list of tools as empty',
      })
    }
    expect(n.admit('prompts/list')).toEqual({ do: 'send' })
  })

  it('inherited members are not declarations', () => {
    const n = connect(JSON.parse('{"__proto__":{"tools":{}},"constructor":{}}'), version)
    expect([allowed(n, 'tools/list'), allowed(n, 'prompts/list')]).toEqual([false, false])
  })

  it('a family nobody declared costs no request over any number of refreshes', () => {
    const n = connect({ tools: {} }, version)
    let requests = 0
    for (let round = 0; round < 6; round += 1) {
      for (const list of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']) {
        if (n.admit(list).do === 'send') requests += 1
      }
    }
    expect(requests).toBe(6)
  })
})

describe('what differs between the revisions', () => {
  it('completion has no flag in 2024-11-05: unknown, not no', () => {
    expect(connect({}, '2024-11-05').can('completion/complete')).toMatchObject({
      allowed: 'unknown',
      why: 'unflagged',
    })
    expect(connect({}, '2024-11-05').admit('completion/complete')).toEqual({ do: 'send' })
    for (const version of REVISIONS.slice(1)) {
      expect(allowed(connect({}, version), 'completion/complete')).toBe(false)
      expect(allowed(connect({ completions: {} }, version), 'completion/complete')).toBe(true)
    }
  })

  it('resources/subscribe is gone in 2026-07-28, and subscriptions/listen is named instead', () => {
    const n = connect({ resources: { subscribe: true } }, '2026-07-28')
    expect(n.can('resources/subscribe')).toMatchObject({ allowed: false, why: 'removed' })
    expect((n.can('resources/subscribe') as { instead: string }).instead).toContain('subscriptions/listen')
    expect(n.admit('resources/subscribe', MANUAL).do).toBe('refuse')
    expect(allowed(n, 'subscriptions/listen')).toBe(true)
    expect(connect({}, '2025-11-25').can('subscriptions/listen')).toMatchObject({
      allowed: false,
      why: 'not-yet',
    })
  })

  it('a listen request is refused only where no part of its filter can be honoured', () => {
    const listen = (capabilities: JsonObject, notifications: JsonObject) =>
      connect(capabilities, '2026-07-28').can('subscriptions/listen', { notifications })
    const both = { toolsListChanged: true, resourceSubscriptions: ['docs://a'] }
    expect(listen({ tools: { listChanged: true } }, both)).toEqual({ allowed: true })
    expect(listen({ resources: { subscribe: true } }, both)).toEqual({ allowed: true })
    expect(listen({ tools: {}, resources: {} }, both)).toMatchObject({
      allowed: false,
      missing: 'tools.listChanged',
    })
    expect(listen({ tools: {} }, { resourceSubscriptions: ['docs://a'] })).toMatchObject({
      missing: 'resources.subscribe',
    })
    expect(listen({}, {})).toEqual({ allowed: true })
    expect(listen({}, { resourceSubscriptions: [], toolsListChanged: false })).toEqual({ allowed: true })
  })

  it('a listen request may be tried where the server was not asked what it can do', () => {
    const n = createNegotiation({
      transport: 'http',
      client: CLIENT,
      policy: { era: 'modern', discover: false },
    })
    n.start()
    expect(n.can('subscriptions/listen', { notifications: { toolsListChanged: true } })).toEqual({
      allowed: true,
    })
  })

  it('the log level rides in _meta in 2026-07-28, where there is no setLevel', () => {
    expect(allowed(connect({ logging: {} }, '2025-11-25'), 'logging/setLevel')).toBe(true)
    expect(connect({}, '2025-11-25').can('logging/setLevel')).toMatchObject({ missing: 'logging' })
    const modern = connect({ logging: {} }, '2026-07-28').can('logging/setLevel')
    expect(modern).toMatchObject({ allowed: false, why: 'removed' })
    expect((modern as { instead: string }).instead).toContain('logLevel')
  })

  it('elicitation: {} means the form mode, and url only what it says', () => {
    const form = connect({}, '2025-11-25', { elicitation: {} })
    expect(form.accepts('elicitation/create').allowed).toBe(true)
    expect(form.accepts('elicitation/create', { mode: 'form' }).allowed).toBe(true)
    expect(form.accepts('elicitation/create', { mode: 'url' })).toMatchObject({
      allowed: false,
      missing: 'elicitation.url',
    })
    const url = connect({}, '2026-07-28', { elicitation: { url: {} } })
    expect(url.accepts('elicitation/create', { mode: 'url' }).allowed).toBe(true)
    expect(url.accepts('elicitation/create')).toMatchObject({ allowed: false, missing: 'elicitation.form' })
    expect(connect({}, '2025-03-26', { elicitation: {} }).accepts('elicitation/create')).toMatchObject({
      why: 'not-yet',
    })
  })

  it('sampling with tools needs sampling.tools, and does not exist before 2025-11-25', () => {
    const tools = { tools: [] }
    expect(
      connect({}, '2025-11-25', { sampling: {} }).accepts('sampling/createMessage', tools),
    ).toMatchObject({
      missing: 'sampling.tools',
    })
    expect(
      connect({}, '2025-11-25', { sampling: { tools: {} } }).accepts('sampling/createMessage', tools).allowed,
    ).toBe(true)
    expect(
      connect({}, '2025-06-18', { sampling: { tools: {} } }).accepts('sampling/createMessage', tools),
    ).toMatchObject({
      why: 'not-yet',
    })
    expect(connect({}, '2025-06-18', { sampling: {} }).accepts('sampling/createMessage').allowed).toBe(true)
  })

  it('a task needs both the feature and its task flag', () => {
    const call = (capabilities: JsonObject, version = '2025-11-25') =>
      connect(capabilities, version).can('tools/call', { name: 'x', task: {} })
    expect(call({ tools: {}, tasks: { requests: { tools: { call: {} } } } })).toEqual({ allowed: true })
    expect(call({ tools: {}, tasks: {} })).toMatchObject({ missing: 'tasks.requests.tools.call' })
    expect(call({ tasks: { requests: { tools: { call: {} } } } })).toMatchObject({ missing: 'tools' })
    expect(call({ tools: {} }, '2026-07-28')).toMatchObject({ allowed: false, why: 'removed' })
    const extension = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
    expect(allowed(connect(extension, '2026-07-28'), 'tasks/get')).toBe(true)
    expect(connect({}, '2026-07-28').can('tasks/get')).toMatchObject({
      missing: 'extensions."io.modelcontextprotocol/tasks"',
    })
    expect(connect({}, '2026-07-28').can('tasks/list')).toMatchObject({ why: 'removed' })
  })

  it('a client tells of changed roots only where it declared that it does', () => {
    expect(
      allowed(
        connect({}, '2025-11-25', { roots: { listChanged: true } }),
        'notifications/roots/list_changed',
      ),
    ).toBe(true)
    expect(allowed(connect({}, '2025-11-25', { roots: {} }), 'notifications/roots/list_changed')).toBe(false)
    expect(
      allowed(
        connect({}, '2026-07-28', { roots: { listChanged: true } }),
        'notifications/roots/list_changed',
      ),
    ).toBe(false)
  })

  it('the answer never depends on what the server calls itself', () => {
    const answers = ['kb', 'Claude', 'github-mcp-server'].map((name) => {
      const n = createNegotiation({ transport: 'stdio', client: CLIENT, policy: { era: 'legacy' } })
      n.start()
      n.receive({
        kind: 'result',
        value: {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name, version: '1' },
        },
      })
      n.receive({ kind: 'sent' })
      return MESSAGES.map(({ method }) => [method, n.can(method), n.accepts(method)])
    })
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
  })

  it('a message of no published revision is unknown, and may be tried', () => {
    const n = connect({}, '2025-11-25')
    expect(n.can('acme/frobnicate')).toMatchObject({ allowed: 'unknown', why: 'unknown-message' })
    expect(n.admit('acme/frobnicate')).toEqual({ do: 'send' })
  })
})

describe('the table', () => {
  it('has each message of each side once', () => {
    const keys = MESSAGES.map(({ from, method }) => `${from} ${method}`)
    expect(new Set(keys).size).toBe(keys.length)
  })

  it('is answered for every message, side and revision, with a reason wherever the answer is not yes', () => {
    for (const version of REVISIONS) {
      for (const n of [connect({}, version), connect({ tools: {}, resources: {}, prompts: {} }, version)]) {
        for (const { method } of MESSAGES) {
          for (const permission of [n.can(method), n.accepts(method)]) {
            if (permission.allowed === true) continue
            expect(permission.message).toContain(method)
            expect(permission.why).toMatch(
              /^(not-declared|removed|not-yet|unflagged|lifecycle|unknown-message)$/,
            )
          }
        }
      }
    }
  })
})
