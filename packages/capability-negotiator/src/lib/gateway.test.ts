import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CLIENT, drive, error, legacyServer, modernServer } from '../../test/scripted-peer.ts'
import { clientCanAnswer, intersectClient, unionForGateway } from './gateway.ts'
import type { JsonObject } from './json.ts'
import { createNegotiation, type Negotiation } from './negotiation.ts'

const view = (capabilities: JsonObject) => ({ capabilities })

function connect(capabilities: JsonObject, era: 'legacy' | 'modern' = 'legacy'): Negotiation {
  const n = createNegotiation({ transport: 'stdio', client: CLIENT, policy: { era } })
  drive(n, era === 'legacy' ? legacyServer({ capabilities }) : modernServer('stdio', { capabilities }))
  return n
}

describe('what a gateway declares', () => {
  it.each<[string, JsonObject[], JsonObject]>([
    ['no upstream', [], {}],
    ['{tools}', [{ tools: {} }], { tools: {} }],
    ['{tools,prompts}', [{ tools: {}, prompts: {} }], { tools: {}, prompts: {} }],
    [
      '{tools,resources+subscribe,completions}',
      [{ tools: {}, resources: { subscribe: true }, completions: {} }],
      { tools: {}, resources: { subscribe: true }, completions: {} },
    ],
    [
      'several that differ',
      [
        { tools: { listChanged: true } },
        { tools: {}, resources: {} },
        { resources: { subscribe: true } },
        {},
      ],
      { tools: { listChanged: true }, resources: { subscribe: true } },
    ],
    ['what it cannot route', [{ tasks: {}, experimental: { x: {} }, elicitation: {} }], {}],
    [
      'malformed declarations',
      [{ tools: true, prompts: null, resources: { subscribe: 'true' } } as never],
      { resources: {} },
    ],
  ])('is the union of what its upstreams support and it can route: %s', (_, upstreams, expected) => {
    expect(unionForGateway(upstreams.map(view))).toEqual(expected)
  })

  it('declares logging only where an upstream has it', () => {
    expect(unionForGateway([view({ tools: {} })])).not.toHaveProperty('logging')
    expect(unionForGateway([view({ tools: {} }), view({ logging: {} })])).toHaveProperty('logging', {})
  })

  it('keeps a flag that the gateway itself set to false', () => {
    const routes = { tools: { listChanged: false }, resources: { subscribe: false } }
    expect(
      unionForGateway([view({ tools: { listChanged: true }, resources: { subscribe: true } })], { routes }),
    ).toEqual({
      tools: { listChanged: false },
      resources: { subscribe: false },
    })
  })

  it('leaves out a family, or a flag, that an upstream declared and then answered with -32601', () => {
    const n = connect({ tools: {}, prompts: {}, resources: { subscribe: true } })
    n.observe({ method: 'prompts/list' }, error(-32601))
    n.observe({ method: 'resources/subscribe', params: { uri: 'docs://a' } }, error(-32601))
    n.observe({ method: 'resources/templates/list' }, error(-32601))
    expect(unionForGateway([n])).toEqual({ tools: {}, resources: {} })
    expect(unionForGateway([n, connect({ prompts: {} })])).toEqual({ tools: {}, resources: {}, prompts: {} })
  })

  it('counts upstreams of both eras, and none that is not connected or unknown', () => {
    const modern = connect({ resources: { subscribe: true }, logging: {} }, 'modern')
    expect(unionForGateway([modern, connect({ tools: {} })])).toEqual({
      tools: {},
      resources: { subscribe: true },
      logging: {},
    })
    modern.close()
    const unconnected = createNegotiation({ transport: 'stdio', client: CLIENT })
    expect(unionForGateway([modern, unconnected])).toEqual({})
  })

  it('tells of a family that a later upstream adds, where the gateway announces its lists', () => {
    const first = unionForGateway([view({ tools: {} })], { announces: ['tools', 'resources'] })
    expect(first).toEqual({ tools: { listChanged: true } })
    const later = unionForGateway([view({ tools: {} }), view({ resources: {} })], {
      announces: ['tools', 'resources'],
    })
    expect(later).toEqual({ tools: { listChanged: true }, resources: { listChanged: true } })
  })

  it('adds what the gateway has of its own', () => {
    expect(unionForGateway([], { own: { tools: {} } })).toEqual({ tools: {} })
  })

  it('does not depend on the order of upstreams, and never has what none of them has', () => {
    const flags = fc.record({ listChanged: fc.boolean(), subscribe: fc.boolean() }, { requiredKeys: [] })
    const capabilities = fc.record(
      { tools: flags, resources: flags, prompts: flags, logging: fc.constant({}) },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.array(capabilities, { maxLength: 4 }), (upstreams) => {
        const union = unionForGateway(upstreams.map((c) => view(c as JsonObject)))
        expect(unionForGateway([...upstreams].reverse().map((c) => view(c as JsonObject)))).toEqual(union)
        for (const [family, members] of Object.entries(union)) {
          expect(upstreams.some((c) => family in c)).toBe(true)
          for (const member of Object.keys(members as JsonObject)) {
            expect(upstreams.some((c) => (c as Record<string, JsonObject>)[family]?.[member] === true)).toBe(
              true,
            )
          }
        }
      }),
    )
  })
})

describe('what a client can answer', () => {
  it.each<[JsonObject, JsonObject, JsonObject]>([
    [{}, { roots: {}, sampling: {} }, {}],
    [{ roots: { listChanged: true } }, { roots: { listChanged: true } }, { roots: { listChanged: true } }],
    [{ roots: {} }, { roots: { listChanged: true } }, { roots: {} }],
    [{ roots: { listChanged: true } }, { roots: {} }, { roots: {} }],
    [{ elicitation: {} }, { elicitation: {} }, { elicitation: { form: {} } }],
    [{ elicitation: {} }, { elicitation: { form: {}, url: {} } }, { elicitation: { form: {} } }],
    [{ elicitation: { url: {} } }, { elicitation: {} }, {}],
    [{ sampling: { tools: {} } }, { sampling: {} }, { sampling: {} }],
    [{ sampling: {} }, { sampling: { tools: {}, context: {} } }, { sampling: {} }],
    [{ sampling: true } as never, { sampling: {} }, {}],
    [
      { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html'] } } },
      { extensions: { 'io.modelcontextprotocol/ui': {}, 'com.example/x': {} } },
      { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html'] } } },
    ],
    [{ extensions: { 'com.example/y': {} } }, { extensions: { 'com.example/x': {} } }, {}],
    [JSON.parse('{"__proto__":{"roots":{}}}'), { roots: {} }, {}],
  ])('%j of %j is %j', (declared, needed, expected) => {
    expect(intersectClient(declared, needed)).toEqual(expected)
  })

  it('is never more than either side has', () => {
    const value: fc.Arbitrary<JsonObject> = fc.dictionary(
      fc.constantFrom('roots', 'sampling', 'elicitation', 'tasks'),
      fc.dictionary(
        fc.constantFrom('listChanged', 'tools', 'form', 'url'),
        fc.oneof(fc.boolean(), fc.constant({})),
      ),
    ) as never
    fc.assert(
      fc.property(value, value, (declared, needed) => {
        const shared = intersectClient(declared, needed)
        expect(intersectClient(shared, shared)).toEqual(shared)
        expect(intersectClient(declared, shared)).toEqual(shared)
        expect(intersectClient(shared, needed)).toEqual(shared)
      }),
    )
  })

  it('is decided per request, from that request alone', () => {
    const ask = (capabilities: JsonObject, method: string, params?: JsonObject, version = '2026-07-28') =>
      clientCanAnswer({ version, capabilities }, method, params).allowed
    expect(ask({ elicitation: {} }, 'elicitation/create')).toBe(true)
    expect(ask({}, 'elicitation/create')).toBe(false)
    expect(ask({ elicitation: {} }, 'elicitation/create', { mode: 'url' })).toBe(false)
    expect(ask({ elicitation: { url: {} } }, 'elicitation/create', { mode: 'url' })).toBe(true)
    expect(ask({ sampling: {} }, 'sampling/createMessage', { tools: [] })).toBe(false)
    expect(ask({ roots: {} }, 'roots/list')).toBe(true)
    expect(ask({ elicitation: {} }, 'elicitation/create', {}, '2025-03-26')).toBe(false)
    expect(ask({}, 'acme/ask')).toBe('unknown')
  })
})
