import { describe, expect, it } from 'vitest'
import { parameterHeaders, parameterHeadersFor } from './parameter-headers.ts'

const schema = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const region = { type: 'string', 'x-mcp-header': 'Region' }

describe('the headers a tool asks for', () => {
  it('are found at any depth through properties', () => {
    expect(
      parameterHeaders(
        schema({
          region,
          query: { type: 'string' },
          where: schema({ shard: { type: 'integer', 'x-mcp-header': 'Shard' } }),
        }),
      ),
    ).toEqual({
      ok: true,
      headers: [
        { header: 'Mcp-Param-Region', path: ['region'], type: 'string' },
        { header: 'Mcp-Param-Shard', path: ['where', 'shard'], type: 'integer' },
      ],
    })
  })

  it('are none for most tools, and for what is no schema', () => {
    for (const value of [schema({ a: { type: 'string' } }), {}, true, null, undefined, 'x', []]) {
      expect(parameterHeaders(value)).toEqual({ ok: true, headers: [] })
    }
  })

  it('are not taken from data inside a schema', () => {
    expect(
      parameterHeaders(
        schema({ a: { type: 'object', default: { 'x-mcp-header': '' }, enum: [{ 'x-mcp-header': '' }] } }),
      ),
    ).toEqual({
      ok: true,
      headers: [],
    })
  })

  it.each<[string, object]>([
    ['an empty name', schema({ a: { type: 'string', 'x-mcp-header': '' } })],
    ['a space', schema({ a: { type: 'string', 'x-mcp-header': 'a b' } })],
    ['a line break', schema({ a: { type: 'string', 'x-mcp-header': 'a\r\nX-Evil: 1' } })],
    ['a non-ASCII letter', schema({ a: { type: 'string', 'x-mcp-header': 'Größe' } })],
    ['no text', schema({ a: { type: 'string', 'x-mcp-header': true } })],
    ['the type number', schema({ a: { type: 'number', 'x-mcp-header': 'A' } })],
    ['a list of types', schema({ a: { type: ['string', 'null'], 'x-mcp-header': 'A' } })],
    ['no type', schema({ a: { 'x-mcp-header': 'A' } })],
    [
      'two names that differ only by case',
      schema({ a: region, b: { type: 'string', 'x-mcp-header': 'REGION' } }),
    ],
    ['items', schema({ a: { type: 'array', items: region } })],
    ['$defs', schema({}, { $defs: { r: region } })],
    ['anyOf', schema({}, { anyOf: [schema({ region })] })],
    ['additionalProperties', schema({}, { additionalProperties: region })],
    ['the root', { ...schema({}), 'x-mcp-header': 'A' }],
  ])('%s costs that tool its place in the list, with the path named', (_, inputSchema) => {
    expect(parameterHeaders(inputSchema)).toMatchObject({
      ok: false,
      problem: expect.any(String),
      path: expect.any(Array),
    })
  })

  const nested = (levels: number): object =>
    levels === 0 ? { type: 'string' } : schema({ a: nested(levels - 1) })
  const wide = (members: number): object =>
    schema(Object.fromEntries(Array.from({ length: members }, (_, at) => [`p${at}`, { type: 'string' }])))

  it('end at a depth and a size', () => {
    expect(parameterHeaders(nested(64))).toEqual({ ok: true, headers: [] })
    expect(parameterHeaders(nested(65))).toMatchObject({
      ok: false,
      problem: 'the schema is too large to check',
    })
    expect(parameterHeaders(nested(2_000))).toMatchObject({ ok: false })
    expect(parameterHeaders(wide(19_999))).toEqual({ ok: true, headers: [] })
    expect(parameterHeaders(wide(20_000))).toMatchObject({
      ok: false,
      problem: 'the schema is too large to check',
    })
  })
})

describe('the headers of a call', () => {
  const found = parameterHeaders(
    schema({
      region,
      limit: { type: 'integer', 'x-mcp-header': 'Limit' },
      dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
      where: schema({ tenant: { type: 'string', 'x-mcp-header': 'Tenant' } }),
    }),
  )
  const headers = found.ok ? found.headers : []

  it.each<[unknown, Record<string, string>]>([
    [
      { region: 'us-west1', limit: -7, dry: false, where: { tenant: 'Москва' } },
      {
        'Mcp-Param-Region': 'us-west1',
        'Mcp-Param-Limit': '-7',
        'Mcp-Param-Dry': 'false',
        'Mcp-Param-Tenant': '=?base64?0JzQvtGB0LrQstCw?=',
      },
    ],
    [{ region: null, where: null }, {}],
    [{}, {}],
    [undefined, {}],
    [{ region: 7, limit: 1.5, dry: 'true' }, {}],
    [{ limit: 2 ** 53 }, {}],
    [{ region: 'a\r\nX-Evil: 1' }, { 'Mcp-Param-Region': '=?base64?YQ0KWC1FdmlsOiAx?=' }],
  ])('for %j are %j', (args, expected) => {
    expect(parameterHeadersFor(headers, args)).toEqual(expected)
  })
})
