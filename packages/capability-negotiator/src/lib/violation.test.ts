import { describe, expect, it } from 'vitest'
import {
  CLIENT,
  drive,
  error,
  httpError,
  legacyServer,
  modernServer,
  result,
} from '../../test/scripted-peer.ts'
import type { JsonObject } from './json.ts'
import { createNegotiation, type Negotiation } from './negotiation.ts'

const NOT_FOUND = { code: -32601, message: 'Method not found' }
const SUBSCRIBE = { method: 'resources/subscribe', params: { uri: 'docs://manual/current' } }

function connect(
  capabilities: JsonObject,
  era: 'legacy' | 'modern' = 'legacy',
  transport: 'stdio' | 'http' = 'stdio',
): Negotiation {
  const n = createNegotiation({
    transport,
    client: CLIENT,
    policy: { era },
    now: () => '2026-11-29T12:00:00.000Z',
  })
  drive(n, era === 'legacy' ? legacyServer({ capabilities }) : modernServer(transport, { capabilities }))
  return n
}

describe('a declared capability answered with -32601', () => {
  it('is kept with both messages, the implementation version and what was declared', () => {
    const n = connect({ resources: { subscribe: true } })
    const violation = n.recordViolation(SUBSCRIBE, NOT_FOUND)
    expect(violation).toEqual({
      method: 'resources/subscribe',
      request: SUBSCRIBE,
      error: NOT_FOUND,
      declared: true,
      refuses: true,
      flag: 'resources.subscribe',
      era: 'legacy',
      version: '2025-11-25',
      serverInfo: { name: 'kb', version: '3.1.4' },
      capabilities: { resources: { subscribe: true } },
      count: 1,
      at: '2026-11-29T12:00:00.000Z',
    })
    expect(n.violations()).toEqual([violation])
  })

  it('is refused from then on for that connection, and nothing else is', () => {
    const n = connect({ resources: { subscribe: true } })
    expect(n.can('resources/subscribe').allowed).toBe(true)
    n.observe(SUBSCRIBE, { kind: 'error', error: NOT_FOUND })
    expect(n.can('resources/subscribe')).toMatchObject({
      allowed: false,
      why: 'violated',
      missing: 'resources.subscribe',
      instead: expect.stringContaining('createWatch'),
    })
    expect(n.can('resources/subscribe', SUBSCRIBE.params)).toMatchObject({ why: 'violated' })
    expect(n.can('resources/unsubscribe')).toMatchObject({ allowed: false, why: 'violated' })
    expect([n.can('resources/read').allowed, n.can('resources/list').allowed]).toEqual([true, true])
    expect(connect({ resources: { subscribe: true } }).can('resources/subscribe').allowed).toBe(true)
  })

  it('is asked for once over any number of refreshes, and the other families stay usable', () => {
    const n = connect({ tools: {}, prompts: {}, resources: {} })
    const asked: string[] = []
    for (let round = 0; round < 6; round += 1) {
      for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']) {
        if (n.admit(method).do !== 'send') continue
        asked.push(method)
        n.observe({ method }, method === 'tools/list' ? result({ tools: [] }) : error(-32601))
      }
    }
    expect(asked.filter((method) => method === 'tools/list')).toHaveLength(6)
    expect(asked.filter((method) => method !== 'tools/list')).toEqual([
      'prompts/list',
      'resources/list',
      'resources/templates/list',
    ])
    expect([n.state, n.violations().length]).toEqual(['ready', 3])
  })

  it('is counted, not collected, when it happens again', () => {
    const n = connect({ prompts: {} })
    n.recordViolation({ method: 'prompts/list' }, NOT_FOUND)
    expect(n.recordViolation({ method: 'prompts/list' }, { code: -32601, message: 'again' })).toMatchObject({
      count: 2,
      error: NOT_FOUND,
    })
    expect(n.violations()).toHaveLength(1)
  })

  it('is forgotten with the connection: a new session is a new promise', () => {
    const n = connect({ prompts: {} }, 'legacy', 'http')
    n.observe({ method: 'prompts/list' }, error(-32601))
    expect(n.can('prompts/list').allowed).toBe(false)
    drive(
      n,
      legacyServer({ capabilities: { prompts: {} } }),
      n.observe({ method: 'tools/list' }, httpError(404, -32000)),
    )
    expect([n.can('prompts/list').allowed, n.violations()]).toEqual([true, []])
  })

  it('over HTTP in the modern era comes as a 404, and does not cost the connection', () => {
    const n = connect({ completions: {} }, 'modern', 'http')
    expect(n.observe({ method: 'completion/complete' }, httpError(404, -32601))).toEqual({ do: 'ready' })
    expect(n.can('completion/complete')).toMatchObject({ why: 'violated' })
  })
})

describe('what is no broken promise', () => {
  it('-32601 to tools/call, which many servers answer for an unknown tool', () => {
    const n = connect({ tools: {} })
    n.observe({ method: 'tools/call', params: { name: 'nope' } }, error(-32601))
    expect([n.can('tools/call').allowed, n.violations()]).toEqual([true, []])
    expect(n.recordViolation({ method: 'tools/call' }, NOT_FOUND).refuses).toBe(false)
    expect(n.can('tools/call').allowed).toBe(true)
  })

  it('another error: it is evidence where the caller records it, and refuses nothing', () => {
    const n = connect({ logging: {} })
    n.observe({ method: 'logging/setLevel' }, httpError(400, -32602))
    expect(n.violations()).toEqual([])
    n.recordViolation({ method: 'logging/setLevel' }, { code: -32602, message: 'no' })
    expect(n.can('logging/setLevel').allowed).toBe(true)
  })

  it('-32601 for what was never declared: it is remembered, not retried, and not reported', () => {
    const n = createNegotiation({ transport: 'stdio', client: CLIENT, versions: ['2024-11-05'] })
    drive(n, legacyServer({ versions: ['2024-11-05'], capabilities: {} }))
    expect(n.can('completion/complete').allowed).toBe('unknown')
    n.observe({ method: 'completion/complete' }, error(-32601))
    expect(n.can('completion/complete')).toMatchObject({ allowed: false, why: 'not-implemented' })
    expect(n.violations()).toMatchObject([{ declared: false }])
    expect(n.report()).toBeUndefined()
  })
})

it('evidence of unknown methods cannot grow without end', () => {
  const n = connect({})
  for (let at = 0; at < 1000; at += 1) n.observe({ method: `x/${at}` }, error(-32601))
  expect(n.violations().length).toBeLessThanOrEqual(64)
  n.observe({ method: 'resources/list' }, error(-32601))
  expect(n.violations().some(({ method }) => method === 'resources/list')).toBe(true)
})

describe('the report to the server author', () => {
  it('is short Markdown with the declaration, both messages and the version', () => {
    const n = connect({ resources: { subscribe: true } })
    n.recordViolation(SUBSCRIBE, NOT_FOUND)
    n.recordViolation(SUBSCRIBE, NOT_FOUND)
    expect(n.report()).toMatchInlineSnapshot(`
      "# Declared capabilities that the server does not implement

      Protocol version 2025-11-25 (legacy era). The server says of itself:

      \`\`\`json
      {
        "name": "kb",
        "version": "3.1.4"
      }
      \`\`\`

      It declares:

      \`\`\`json
      {
        "resources": {
          "subscribe": true
        }
      }
      \`\`\`

      ## \`resources/subscribe\`

      Declared by \`resources.subscribe\`, answered with error -32601 (2 times), first at 2026-11-29T12:00:00.000Z.

      Request:

      \`\`\`json
      {
        "method": "resources/subscribe",
        "params": {
          "uri": "docs://manual/current"
        }
      }
      \`\`\`

      Answer:

      \`\`\`json
      {
        "error": {
          "code": -32601,
          "message": "Method not found"
        }
      }
      \`\`\`
      "
    `)
  })

  it('cannot be broken out of by what the server sent', () => {
    const n = connect({ prompts: {} })
    n.recordViolation({ method: 'prompts/list' }, { code: -32601, message: '```\n# Not mine\n<script>' })
    const report = n.report() ?? ''
    const open = report.split('\n').filter((line) => /^`{3,}/.test(line))
    expect(open.length % 2).toBe(0)
    expect(report).not.toMatch(/^# Not mine/m)
    expect(report).toContain('````json')
  })
})
