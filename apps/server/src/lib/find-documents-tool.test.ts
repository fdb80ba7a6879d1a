import type { ClientFacts } from '@truename/mcp-link'
import { describe, expect, it } from 'vitest'
import { callFindDocuments } from './find-documents-tool.ts'
import type { SearchDocuments } from './search-documents.ts'

const file = { path: 'a.md', realPath: '/a.md', size: 1, stamp: '' }
const hits = [{ name: 'A', uri: 'docs://catalog/A', file, line: ' a line ' }]
const search: SearchDocuments = async () => ({ hits, total: 1, unread: 0 })
const client = (version: string): ClientFacts => ({
  era: version > '2026' ? 'modern' : 'legacy',
  version,
  capabilities: {},
  info: undefined,
  profile: 'default',
})
const types = async (version: string) => {
  const context = { client: client(version), signal: new AbortController().signal }
  const outcome = await callFindDocuments(search, { query: 'a' }, context)
  if (outcome.kind !== 'result') throw new Error('no result')
  return (outcome.value.content as { type: string; text?: string }[]).map(({ type, text }) => text ?? type)
}

describe('the answer of find_documents', () => {
  const text = '1 document holds every word of "a":\nA\n  docs://catalog/A\n  a line'

  it.each(['2025-06-18', '2025-11-25', '2026-07-28'])('has links for a client of %s', async (version) => {
    expect(await types(version)).toEqual([text, 'resource_link'])
  })

  it.each(['2024-11-05', '2025-03-26'])(
    'has the same as text alone for a client of %s, which knows no links',
    async (version) => {
      expect(await types(version)).toEqual([text])
    },
  )
})
