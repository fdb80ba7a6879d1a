import { describe, expect, it } from 'vitest'
import { readArguments } from './tool-arguments.ts'

const schema = {
  type: 'object',
  properties: {
    query: { type: 'string' },
    limit: { type: 'integer' },
    deep: { type: 'boolean' },
    tags: { type: 'array' },
    either: { type: ['number', 'null'] },
  },
}

describe('the arguments of a call', () => {
  it('are a JSON object, pairs, or both, where pairs win', () => {
    expect(readArguments('{"query":"tea"}', [], schema)).toEqual({ query: 'tea' })
    expect(readArguments(undefined, ['query=a=b', 'limit=3'], schema)).toEqual({ query: 'a=b', limit: 3 })
    expect(readArguments('{"query":"x","limit":1}', ['query=y'], schema)).toEqual({ query: 'y', limit: 1 })
    expect(readArguments(undefined, [], schema)).toEqual({})
  })

  it('are typed by the schema, and text where it is silent', () => {
    const pairs = ['query=5', 'limit=5', 'deep=true', 'tags=["a"]', 'either=null', 'other=5', 'empty=']
    expect(readArguments(undefined, pairs, schema)).toEqual({
      query: '5',
      limit: 5,
      deep: true,
      tags: ['a'],
      either: null,
      other: '5',
      empty: '',
    })
    expect(readArguments(undefined, ['limit=5'], undefined)).toEqual({ limit: '5' })
  })

  it('may be named like a member of every object', () => {
    const args = readArguments(undefined, ['__proto__=x', 'constructor=y'], schema)
    expect(Object.entries(args)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ])
  })

  it.each([
    ['{"query":', [], 'are not JSON'],
    ['[1]', [], 'one JSON object'],
    [undefined, ['query'], 'is not name=value'],
    [undefined, ['=x'], 'is not name=value'],
    [undefined, ['limit=many'], 'takes integer'],
    [undefined, ['limit=1.5'], 'takes integer'],
    [undefined, ['query=a', 'query=b'], 'is there twice'],
    [undefined, ['limit=12345678901234567890'], 'beyond the whole numbers'],
    [undefined, ['tags={}'], 'takes array'],
    [undefined, ['either="x"'], 'takes number or null'],
  ])('are refused in one line: %j %j', (json, pairs, message) => {
    expect(() => readArguments(json, pairs, schema)).toThrow(message)
  })
})
