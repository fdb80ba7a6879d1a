import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { comparePrefix } from './compare-prefix.ts'
import { type PrefixInput, type PrefixTool, prefixOf, RepeatedToolError } from './prefix.ts'
import { pricePresets } from './prices.ts'

const tool = (server: string, name: string, more: object = {}): PrefixTool => ({
  key: { server, kind: 'tool', name },
  definition: {
    name: `${server}__${name}`,
    description: `${name} of ${server}`,
    input_schema: { type: 'object' },
    ...more,
  },
})
const tools = [tool('kb', 'read'), tool('kb', 'search'), tool('shop', 'search')]
const system = [
  { source: 'host', text: 'You help.' },
  { source: 'kb', text: 'Ask the catalogue first.' },
]
const base: PrefixInput = { tools, system }
const changes = (after: Partial<PrefixInput>, options = {}) =>
  comparePrefix(prefixOf(base), prefixOf({ ...base, ...after }), options)

describe('prefixOf', () => {
  it('has one digest for one sequence of bytes', () => {
    expect(prefixOf(base)).toEqual(prefixOf(structuredClone(base)))
    const variants: PrefixInput[] = [
      base,
      { tools, system: 'You help.' },
      { tools, system: [{ source: 'host', text: 'You help.Ask the catalogue first.' }] },
      { tools: tools.toReversed(), system },
      { tools: tools.slice(1), system },
      { tools: [tool('kb', 'read', { description: 'x' }), ...tools.slice(1)], system },
      {
        tools: [
          {
            ...tool('kb', 'read'),
            definition: { input_schema: { type: 'object' }, name: 'kb__read', description: 'read of kb' },
          },
          ...tools.slice(1),
        ],
        system,
      },
    ]
    expect(new Set(variants.map((input) => prefixOf(input).digest)).size).toBe(variants.length)
  })

  it('needs no system text', () => {
    const bare = prefixOf({ tools })
    expect(bare).toEqual(prefixOf({ tools, system: undefined }))
    expect(bare).toEqual(prefixOf({ tools, system: [] }))
    expect(bare.system).toEqual([])
    expect(comparePrefix(bare, prefixOf(base))).toMatchObject([
      { change: 'added', source: 'host' },
      { change: 'added', source: 'kb' },
    ])
  })

  it('goes by the bytes of each tool and part in their order, and not by what sources are called', () => {
    const part = fc.record({ source: fc.constantFrom('q', 'r'), text: fc.constantFrom('', 's', 't', 'st') })
    const definition = fc.constantFrom(
      ...[
        '{"name":"n","a":1}',
        '{"a":1,"name":"n"}',
        '{"name":"n","constructor":1}',
        '{"name":"n","__proto__":1}',
      ],
    )
    const input = fc.record({
      system: fc.oneof(fc.constantFrom(undefined, '', 's', 'st'), fc.array(part, { maxLength: 2 })),
      tools: fc
        .uniqueArray(fc.tuple(fc.constantFrom('x', 'y'), definition), {
          selector: ([name]) => name,
          maxLength: 2,
        })
        .map((all) =>
          all.map(
            ([name, text]): PrefixTool => ({
              key: { server: 'a', kind: 'tool', name },
              definition: JSON.parse(text) as object,
            }),
          ),
        ),
    })
    const bytes = ({ tools: shown, system: said = [] }: PrefixInput): string =>
      JSON.stringify([
        shown.map((one) => JSON.stringify(one.definition)),
        typeof said === 'string' ? [said] : said.map(({ text }) => text),
      ])
    fc.assert(
      fc.property(input, input, (a, b) => {
        expect(prefixOf(a).digest === prefixOf(b).digest).toBe(bytes(a) === bytes(b))
      }),
      { numRuns: 1000 },
    )
  })

  it('counts the bytes of what is sent, as UTF-8', () => {
    expect(prefixOf({ tools: [], system: 'Отчёт' }).bytes).toBe(10)
    const definition = { name: 'é' }
    expect(prefixOf({ tools: [{ key: tool('a', 'b').key, definition }], system: '' }).bytes).toBe(
      JSON.stringify(definition).length + 1,
    )
  })

  it('is plain data that survives being stored', () => {
    const prefix = prefixOf(base)
    expect(JSON.parse(JSON.stringify(prefix))).toEqual(prefix)
    expect(comparePrefix(JSON.parse(JSON.stringify(prefix)), prefix)).toEqual([])
  })

  it('refuses the same pair twice', () => {
    expect(() => prefixOf({ tools: [tools[0] as PrefixTool, tools[0] as PrefixTool], system })).toThrow(
      RepeatedToolError,
    )
  })
})

describe('comparePrefix', () => {
  it('names the pair and the field that moved', () => {
    expect(
      changes({ tools: [tools[0], tool('kb', 'search', { description: 'new' }), tools[2]] as PrefixTool[] }),
    ).toMatchObject([
      {
        change: 'changed',
        key: { server: 'kb', name: 'search' },
        field: 'description',
        fields: ['description'],
        position: 1,
      },
    ])
  })

  it('tells another spelling from another definition: a cache takes both for new', () => {
    const { definition, key } = tool('kb', 'read')
    const respelled = { key, definition: Object.fromEntries(Object.entries(definition).reverse()) }
    expect(changes({ tools: [respelled, ...tools.slice(1)] })).toMatchObject([
      { change: 'respelled', key, field: undefined, lost: 'prefix' },
    ])
    const inner = {
      key,
      definition: { ...definition, input_schema: JSON.parse('{"type":"object"}') as object },
    }
    expect(changes({ tools: [inner, ...tools.slice(1)] })).toEqual([])
  })

  it('names what was added, removed and moved', () => {
    const added = tool('shop', 'pay')
    expect(changes({ tools: [...tools, added] })).toMatchObject([
      { change: 'added', key: added.key, position: 3 },
    ])
    expect(changes({ tools: tools.slice(1) })).toMatchObject([
      { change: 'removed', key: { server: 'kb', name: 'read' } },
    ])
    expect(changes({ tools: [tools[1], tools[0], tools[2]] as PrefixTool[] })).toMatchObject([
      { change: 'moved', key: { name: 'search' }, position: 0 },
    ])
  })

  it('names the part of the system text', () => {
    expect(changes({ system: [system[0] as never, { source: 'kb', text: 'New.' }] })).toMatchObject([
      { change: 'changed', key: undefined, source: 'kb', field: 'system', position: 1 },
    ])
  })

  it('loses the whole prefix to a change of any tool, the last one too, and says what it cost', () => {
    const last = [...tools.slice(0, 2), tool('shop', 'search', { description: 'new' })]
    const prices = pricePresets['claude-opus-5-5']
    const options = { tokens: { tools: 9_400, system: 2_600 }, prices, toolsCachedAlone: true }
    expect(changes({ tools: last }, options)).toMatchObject([
      { lost: 'prefix', lostTokens: 12_000, cost: 0.0576 },
    ])
    expect(changes({ system: 'x' }, options)[0]).toMatchObject({
      lost: 'system',
      lostTokens: 2_600,
      cost: 0.01248,
    })
    expect(changes({ system: 'x' }, { ...options, toolsCachedAlone: false })[0]).toMatchObject({
      lost: 'prefix',
      lostTokens: 12_000,
    })
    const after = prefixOf({ tools: last, system })
    const [toolBytes, systemBytes] = [after.tools, after.system].map((parts) =>
      parts.reduce((sum, { bytes }) => sum + bytes, 0),
    )
    expect(changes({ tools: last })[0]).toMatchObject({
      lostTokens: Math.ceil((toolBytes ?? 0) / 4) + Math.ceil((systemBytes ?? 0) / 4),
      cost: undefined,
    })
  })

  it('is empty exactly when the digests are equal', () => {
    const input = fc.record({
      tools: fc
        .uniqueArray(
          fc.tuple(fc.constantFrom('a', 'b'), fc.constantFrom('x', 'y', 'z'), fc.constantFrom('1', '2')),
          { maxLength: 4, selector: ([server, name]) => `${server} ${name}` },
        )
        .map((all) => all.map(([server, name, description]) => tool(server, name, { description }))),
      system: fc.array(
        fc.record({ source: fc.constantFrom('host', 'kb'), text: fc.constantFrom('', 'x', 'y') }),
        { maxLength: 3 },
      ),
    })
    fc.assert(
      fc.property(input, input, (a, b) => {
        const [before, after] = [prefixOf(a), prefixOf(b)]
        expect(comparePrefix(before, after).length === 0).toBe(before.digest === after.digest)
      }),
      { numRuns: 300 },
    )
  })
})
