import { describe, expect, it } from 'vitest'
import { parseCatalogue } from './catalogue.ts'

describe('a catalogue', () => {
  it('maps free-text names to files, with or without a description', () => {
    const text = `{
      // what a file name cannot hold
      "documents": {
        "Отчёт май/июнь": "a.txt",
        "/": { "file": "b.txt", "title": "Slash", "description": "About it" },
      }
    }`
    expect(parseCatalogue(text)).toEqual({
      entries: [
        { name: 'Отчёт май/июнь', file: 'a.txt' },
        { name: '/', file: 'b.txt', title: 'Slash', description: 'About it' },
      ],
      problems: [],
      legible: true,
    })
  })

  it('takes names that are members of every object', () => {
    const { entries } = parseCatalogue(
      '{"documents":{"__proto__":"a","constructor":"b","toString":{"file":"c"}}}',
    )
    expect(entries.map(({ name, file }) => [name, file])).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
      ['toString', 'c'],
    ])
  })

  it.each([
    ['a repeated name', '{"documents":{"a":"1",\n "a":"2"}}', 2, 2, 'stands twice'],
    ['an unknown member', '{"documents":{},\n"docs":1}', 2, 1, 'unknown member "docs"'],
    ['an entry without a file', '{"documents":{"a":{"title":"x"}}}', 1, 19, 'has no "file"'],
    ['a file that is no string', '{"documents":{"a":{"file":1}}}', 1, 27, '"file" of "a" must be a string'],
    ['an entry of another type', '{"documents":{"a":7}}', 1, 19, 'must be a file path'],
    ['documents of another type', '{"documents":[]}', 1, 14, 'must be an object from names to files'],
    ['no documents', '{}', 1, 1, '"documents" is missing'],
    ['another root', '[]', 1, 1, 'must be an object'],
    ['half a surrogate pair', '{"documents":{"\\ud800":"a"}}', 1, 15, 'half a surrogate pair'],
  ])('reports %s with its place', (_what, text, line, column, message) => {
    expect(parseCatalogue(text).problems).toContainEqual({
      line,
      column,
      message: expect.stringContaining(message),
    })
  })

  it('serves what is sound beside what is not, and the first of two equal names', () => {
    const { entries } = parseCatalogue('{"documents":{"a":"1","b":7,"a":"2","c":"3"}}')
    expect(entries.map(({ name, file }) => `${name}=${file}`)).toEqual(['a=1', 'c=3'])
  })

  it('says so where the text is not JSON', () => {
    const read = parseCatalogue('{"documents": {"a": ')
    expect(read.legible).toBe(false)
    expect(read.problems[0]?.message).toContain('not JSON')
    expect(parseCatalogue('').legible).toBe(false)
  })
})
