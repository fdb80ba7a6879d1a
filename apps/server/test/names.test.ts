import { expandTemplate } from '@truename/uri-codec'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { catalogTemplate } from '../src/lib/document-uri.ts'
import { client, eras, folderOf, readText, resultOf, serveFolder } from './serving.ts'

/** Names of every kind that some layer has been seen to change. */
const corpus = [
  'a b',
  ' leading and trailing ',
  'a+b',
  '100%',
  '%',
  '%2F',
  '%252F',
  '%zz',
  '/',
  'a/b',
  'a//b',
  '\\',
  'a\\b',
  '?',
  'a?b=c&d',
  '#',
  'a#b',
  '.',
  '..',
  '../../etc/passwd',
  'v1..v2',
  '.env',
  'Отчёт май',
  'Отчёт май/июнь',
  '季度报告/2025 Q1 财务.pdf',
  '😀',
  '👩‍👩‍👧‍👦',
  '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  'é',
  'e\u0301',
  '\u00c5',
  '\u212b',
  'שלום',
  'a\u200bb',
  '\u202eabc',
  '\ufeffabc',
  'tab\tline\nreturn\rend',
  '\u0001\u007f',
  'https://example.com/a?b#c',
  'docs://catalog/a',
  'C:\\Windows',
  '{name}',
  '<>"\'`^|{}[]()*!;:@&=$,',
  '~-._',
  '__proto__',
  'constructor',
  'я'.repeat(2000),
]

describe.each(eras)('a name through client, transport and server (%s)', (era) => {
  it('is the same name letter for letter, read by the URI its template expands to and by the one that is listed', async () => {
    const upstream = await client(await serveFolder(folderOf(corpus)), era)
    const listed = resultOf(await upstream.request('resources/list', {})).resources as unknown as {
      name: string
      uri: string
    }[]
    expect(listed.map(({ name }) => name).sort()).toEqual([...corpus].sort())
    for (const { name, uri } of listed) {
      expect(uri).toBe(expandTemplate(catalogTemplate, { name }))
      expect(await readText(upstream, uri)).toBe(name)
    }
  })

  it('may be any text at all', async () => {
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 })
    const names = [...new Set(fc.sample(text, 100))].filter((name) => !/\p{Surrogate}/u.test(name))
    // As JSON, since a file with a NUL in it is served as bytes.
    const upstream = await client(await serveFolder(folderOf(names, {}, JSON.stringify)), era)
    const read = names.map((name) => readText(upstream, expandTemplate(catalogTemplate, { name })))
    expect((await Promise.all(read)).map((json) => JSON.parse(json))).toEqual(names)
  })
})
