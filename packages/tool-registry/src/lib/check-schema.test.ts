import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { checkSchema } from './check-schema.ts'
import type { JsonObject } from './json.ts'
import { repairTool } from './repair-tool.ts'

const codes = (schema: unknown, role: 'input' | 'output' = 'input') =>
  checkSchema(schema, { role }).map(({ code, pointer, remedy }) => `${code} ${pointer} ${remedy}`)
const tool = (inputSchema: unknown, more: object = {}): JsonObject =>
  ({ name: 't', inputSchema, ...more }) as JsonObject
const ajv = new Ajv2020({ strict: false, validateFormats: false })

describe('checkSchema', () => {
  it('finds nothing in ordinary schemas of every draft', () => {
    for (const $schema of [
      undefined,
      'http://json-schema.org/draft-07/schema#',
      'https://json-schema.org/draft-07/schema',
      'https://json-schema.org/draft/2020-12/schema#',
      'http://json-schema.org/draft-04/schema#',
    ]) {
      expect(
        codes({
          ...($schema && { $schema }),
          type: 'object',
          properties: { a: { type: 'string' } },
          required: ['a'],
        }),
      ).toEqual([])
    }
  })

  it.each([
    ['none', undefined, ['absent  repaired']],
    ['null', null, ['absent  repaired']],
    ['of a string', { type: 'string' }, ['root-not-object /type skipped']],
    [
      'with nothing but $schema',
      { $schema: 'http://json-schema.org/draft-07/schema#' },
      ['no-root-type  repaired'],
    ],
    [
      'a choice of objects without a type',
      { anyOf: [{ type: 'object' }, { type: 'object' }] },
      ['no-root-type  repaired'],
    ],
    ['with a list of properties', { type: 'object', properties: [] }, ['bad-keyword /properties repaired']],
    [
      'with an array of nothing',
      { type: 'object', properties: { l: { type: 'array' } } },
      ['array-without-items /properties/l repaired'],
    ],
    [
      'of another dialect',
      { $schema: 'https://x.example/s', type: 'object' },
      ['unknown-dialect /$schema kept'],
    ],
    ['a list', [], ['not-a-schema  skipped']],
    ['a boolean', true, ['root-not-object  skipped']],
    [
      'with an unknown type',
      { type: 'object', properties: { a: { type: 'str' } } },
      ['bad-keyword /properties/a/type repaired'],
    ],
    [
      'with a broken pattern',
      { type: 'object', properties: { a: { pattern: '(' } } },
      ['bad-keyword /properties/a/pattern repaired'],
    ],
    [
      'with a property that is no schema',
      { type: 'object', properties: { a: 'string' } },
      ['bad-keyword /properties/a repaired'],
    ],
  ])('names what is wrong with an input schema: %s', (_, schema, expected) => {
    expect(codes(schema)).toEqual(expected)
  })

  it('follows local references, by pointer, anchor and id, and never leaves the schema', () => {
    const schema = (reference: string): JsonObject => ({
      type: 'object',
      properties: { a: { $ref: reference }, $ref: { type: 'string' } },
      $defs: { 'x/y': { $anchor: 'here' }, z: { $id: 'https://x.example/z' } },
      default: { $ref: 'https://evil.example/not-a-reference' },
    })
    for (const good of [
      '#/$defs/x~1y',
      '#here',
      '#',
      'https://x.example/z',
      '#/properties/a',
      '#/%24defs/z',
    ]) {
      expect(codes(schema(good)), good).toEqual([])
    }
    expect(codes(schema('#/$defs/missing'))).toEqual(['dangling-ref /properties/a/$ref repaired'])
    expect(codes(schema('https://evil.example/schema.json'))).toEqual([
      'network-ref /properties/a/$ref repaired',
    ])
    expect(codes(schema('file:///etc/passwd'))).toEqual(['network-ref /properties/a/$ref repaired'])
    expect(codes(schema('other.json'))).toEqual(['dangling-ref /properties/a/$ref repaired'])
  })

  it('allows recursion, and output schemas of anything', () => {
    const tree = {
      $defs: { n: { type: 'object', properties: { next: { $ref: '#/$defs/n' } } } },
      type: 'object',
      $ref: '#/$defs/n',
    }
    expect(codes(tree)).toEqual([])
    expect(codes({ type: 'string' }, 'output')).toEqual([])
  })

  it('bounds depth and number, below, at and above the limit', () => {
    const nested = (levels: number): JsonObject =>
      levels === 0 ? { type: 'object' } : { type: 'object', properties: { a: nested(levels - 1) } }
    expect(checkSchema(nested(64))).toEqual([])
    expect(checkSchema(nested(65)).map(({ code }) => code)).toEqual(['too-deep'])
    const wide = { type: 'object', anyOf: Array.from({ length: 9 }, () => ({})) }
    expect(checkSchema(wide, { maxSchemas: 10 })).toEqual([])
    expect(checkSchema(wide, { maxSchemas: 9 }).map(({ code }) => code)).toEqual(['too-large'])
  })
})

describe('repairTool', () => {
  const bad: readonly unknown[] = [
    undefined,
    null,
    { $schema: 'http://json-schema.org/draft-07/schema#' },
    {
      anyOf: [
        { type: 'object', properties: { a: {} } },
        { type: 'object', properties: { b: {} } },
      ],
    },
    { type: 'object', properties: { l: { type: 'array' } } },
    { type: 'object', properties: [] },
    { type: 'object', properties: { a: { $ref: '#/$defs/missing' }, b: { type: 'string' } } },
    { type: 'object', properties: { a: { anyOf: [{ $ref: 'https://x.example/s' }, { type: 'str' }] } } },
    { type: 'object', properties: { a: 'string' }, required: 'a' },
  ]

  it('leaves nine good tools alone and mends or leaves out the tenth', () => {
    const good = Array.from({ length: 9 }, (_, index) =>
      tool({ type: 'object', properties: { a: { type: 'string' } } }, { name: `g${index}` }),
    )
    for (const schema of [...bad, { type: 'string' }]) {
      const repairs = [...good, tool(schema)].map((one) => repairTool(one))
      expect(repairs.slice(0, 9).map((repair) => repair.tool)).toEqual(good)
      expect(repairs[9]?.findings.length).toBeGreaterThan(0)
      expect(repairs[9]?.findings[0]?.pointer).toMatch(/^\/inputSchema/)
    }
    expect(repairTool(tool({ type: 'string' })).tool).toBeUndefined()
  })

  it('gives model APIs nothing that is not a valid schema of an object', () => {
    for (const schema of bad) {
      const repaired = repairTool(tool(schema)).tool?.inputSchema as JsonObject
      expect(repaired.type).toBe('object')
      expect(
        ajv.validateSchema({ ...repaired, $schema: 'https://json-schema.org/draft/2020-12/schema' }),
        JSON.stringify(repaired),
      ).toBe(true)
      expect(() => ajv.compile(JSON.parse(JSON.stringify({ ...repaired, $schema: undefined })))).not.toThrow()
      expect(checkSchema(repaired)).toEqual([])
    }
  })

  it('keeps a choice of objects as it is, with a root type beside it', () => {
    const anyOf = [
      { type: 'object', required: ['a'] },
      { type: 'object', required: ['b'] },
    ]
    expect(repairTool(tool({ anyOf })).tool?.inputSchema).toEqual({ type: 'object', anyOf })
  })

  it('does not touch the definition it was given', () => {
    const given = tool({ type: 'object', properties: { l: { type: 'array' } } })
    const before = JSON.stringify(given)
    repairTool(given)
    expect(JSON.stringify(given)).toBe(before)
  })

  it('keeps a tool callable when its output schema is bad, and stops checking results', () => {
    const input = { type: 'object' }
    for (const outputSchema of [
      { $ref: '#/$defs/missing' },
      { type: 'object', properties: { a: { $ref: 'https://x.example/s' } } },
      { $schema: 'urn:other', type: 'object' },
    ]) {
      const repair = repairTool(tool(input, { outputSchema }))
      expect(repair).toMatchObject({ tool: { name: 't', inputSchema: input }, validatesOutput: false })
      expect(repair.tool).not.toHaveProperty('outputSchema')
      expect(repair.findings[0]?.pointer).toMatch(/^\/outputSchema/)
    }
    const recursive = { type: 'object', $defs: { n: { properties: { n: { $ref: '#/$defs/n' } } } } }
    expect(repairTool(tool(input, { outputSchema: recursive }))).toMatchObject({
      validatesOutput: true,
      tool: { outputSchema: recursive },
    })
  })
})
