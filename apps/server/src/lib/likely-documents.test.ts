import { describe, expect, it } from 'vitest'
import type { DocumentSnapshot } from './document-store.ts'
import { likelyDocuments } from './likely-documents.ts'

const names = ['Отчёт май', 'Отчёт май/июнь', '季度报告/2025 Q1 财务.pdf', 'a+b', '100%', '%2F', '/']
const file = (path: string) => ({ path, realPath: path, size: 1, stamp: '' })
const snapshot: DocumentSnapshot = {
  catalogued: true,
  named: new Map(names.map((name) => [name, { name, file: file('x.txt') }])),
  files: new Map(['x.txt', 'guide/open risks.md'].map((path) => [path, file(path)])),
}
const likely = (uri: string) => likelyDocuments(uri, snapshot).map(({ name }) => name)
const codes = (uri: string) => likelyDocuments(uri, snapshot)[0]?.findings.map(({ code }) => code)

const may = 'docs://catalog/%D0%9E%D1%82%D1%87%D1%91%D1%82%20%D0%BC%D0%B0%D0%B9'

describe('what a URI that names nothing was probably meant for', () => {
  it.each([
    ['form-encoded', may.replace('%20', '+'), 'plus-for-space'],
    ['encoded twice', may.replaceAll('%', '%25'), 'double-encoding'],
    ['not encoded', 'docs://catalog/Отчёт май', 'not-encoded'],
    ['encoded as a whole', encodeURIComponent(may), 'whole-uri-encoded'],
    ['decomposed', `docs://catalog/${encodeURIComponent('Отчёт май'.normalize('NFD'))}`, 'normalization'],
  ])('is found where the name is %s', (_what, uri, code) => {
    expect(likelyDocuments(uri, snapshot)[0]).toMatchObject({ name: 'Отчёт май', uri: may })
    expect(codes(uri)).toContain(code)
  })

  it('is found behind a slash that was not encoded', () => {
    const uri = 'docs://catalog/%D0%9E%D1%82%D1%87%D1%91%D1%82%20%D0%BC%D0%B0%D0%B9/%D0%B8%D1%8E%D0%BD%D1%8C'
    expect(likely(uri)).toEqual(['Отчёт май/июнь'])
    expect(codes(uri)).toContain('raw-slash')
  })

  it('is found by path too', () => {
    expect(likely('docs://tree/guide/open+risks.md')).toEqual(['guide/open risks.md'])
    expect(likely('docs://tree/Guide%2FOpen%20Risks.md')).toEqual(['guide/open risks.md'])
  })

  it.each([
    'docs://catalog/nothing',
    'docs://other/a+b',
    'https://example.com/',
    '',
    '%',
    `docs://catalog/${'+'.repeat(9000)}`,
  ])('is not made up for %j', (uri) => expect(likely(uri)).toEqual([]))
})
