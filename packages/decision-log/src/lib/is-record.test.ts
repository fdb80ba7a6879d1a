import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { utf8 } from './bytes.ts'
import { isRecord } from './is-record.ts'

const base = { index: 7, tree: 't-1', schema: 1, id: 'i', time: 'now', type: 'event' }
const tree = utf8('"t-1"')

/** What a reader of JSON says of a line. */
function read(line: string): boolean {
  try {
    const value = JSON.parse(line) as typeof base
    const texts = [value.tree, value.id, value.time, value.type].every((text) => typeof text === 'string')
    return !Array.isArray(value) && texts && value.index === 7 && value.tree === 't-1'
  } catch {
    return false
  }
}

const name = fc.oneof(
  fc.constantFrom('index', 'tree', 'id', 'time', 'type', 'e', '"', '\\u0069d'),
  fc.string(),
)
const json = fc.jsonValue({ maxDepth: 3 })
const record = fc.array(fc.tuple(name, json), { maxLength: 5 }).map((members) => {
  const more = members.map(([member, value]) => `,${JSON.stringify(member)}:${JSON.stringify(value)}`)
  return `${JSON.stringify(base).slice(0, -1)}${more.join('')}}`
})

describe('a line that says it is a record', () => {
  it('is one where a reader of JSON finds that it is', () => {
    fc.assert(
      fc.property(record, (line) => {
        expect(isRecord(utf8(line), 7, tree), line).toBe(read(line))
      }),
      { numRuns: 2000 },
    )
  })

  it('is none where a reader of JSON finds that it is not, whatever was changed', () => {
    const pieces = fc.constantFrom(
      ...[
        '"',
        ',',
        ':',
        '{',
        '}',
        '[',
        ']',
        '\\',
        '\\u00',
        '\\x',
        '0',
        '01',
        '1.',
        '-',
        '1e5',
        '.5',
        'e',
        'true',
        'nul',
      ],
      ...[
        ' ',
        '\n',
        '\u0001',
        'é',
        '"id":1,',
        '"index":99,',
        ',"tree":"other"',
        ',"\\u0069ndex":9',
        ',"\\u0074ree":"x"',
      ],
    )
    fc.assert(
      fc.property(record, fc.nat(), fc.nat(3), pieces, (line, place, taken, piece) => {
        const at = place % (line.length + 1)
        const changed = line.slice(0, at) + piece + line.slice(at + taken)
        // The first index was read before, and is what it is.
        if (!changed.startsWith('{"index":7,')) return
        expect(isRecord(utf8(changed), 7, tree), changed).toBe(read(changed))
      }),
      { numRuns: 10_000 },
    )
  })

  it('may be deep, and may end anywhere', () => {
    const deep = `${JSON.stringify(base).slice(0, -1)},"a":${'['.repeat(500)}${']'.repeat(500)}}`
    expect(isRecord(utf8(deep), 7, tree)).toBe(true)
    for (let end = 0; end < deep.length; end += 1)
      expect(isRecord(utf8(deep.slice(0, end)), 7, tree)).toBe(false)
    expect(isRecord(Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d), 7, undefined)).toBe(false)
  })
})
