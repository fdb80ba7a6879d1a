import { foldMarks } from '@truename/mcp-link'
import type { DocumentSnapshot, DocumentStore, NamedDocument } from './document-store.ts'
import { uriOfName, uriOfPath } from './document-uri.ts'
import type { FolderFile } from './folder-index.ts'

/** One document that was found. */
export interface SearchHit {
  /** The name in the catalogue, or the path of a file without one. */
  readonly name: string
  readonly uri: string
  readonly file: FolderFile
  readonly description?: string | undefined
  /** A line of the text with the first word, where the text has one. */
  readonly line?: string | undefined
}

/** What a search found, best first. */
export interface SearchResult {
  readonly hits: readonly SearchHit[]
  readonly total: number
  /** Documents whose text could not be looked at (too long, not text, gone). */
  readonly unread: number
}

/** Finds documents by words. */
export type SearchDocuments = (query: string, limit: number, signal?: AbortSignal) => Promise<SearchResult>

interface FoldedText {
  readonly stamp: string
  readonly lines: readonly (readonly [line: string, folded: string])[]
  readonly length: number
}

/** How much text is kept folded between two searches, in characters. */
const kept = 32 * 1024 * 1024

/**
 * A search over names and texts: a document is found where every word of the query occurs in its name, path,
 * title, description or text. Letter case, Unicode normalisation and marks are forgiven; what is returned is
 * spelt as it is. Documents with more words in their name come first.
 */
export function createSearch(store: DocumentStore): SearchDocuments {
  const texts = new Map<string, FoldedText>()
  let length = 0

  const forget = (path: string): void => {
    length -= texts.get(path)?.length ?? 0
    texts.delete(path)
  }
  const textOf = async (file: FolderFile): Promise<FoldedText | undefined> => {
    const known = texts.get(file.path)
    if (known?.stamp === file.stamp) return known
    forget(file.path)
    const read = await store.read(file)
    if (!read.ok || read.content.text === undefined) return undefined
    const lines = read.content.text.split(/\r?\n/).map((line) => [line, foldMarks(line)] as const)
    const text = { stamp: file.stamp, lines, length: read.content.text.length }
    texts.set(file.path, text)
    length += text.length
    for (const oldest of texts.keys()) {
      if (length <= kept || oldest === file.path) break
      forget(oldest)
    }
    return text
  }

  return async (query, limit, signal) => {
    const words = [...new Set(foldMarks(query).split(' ').filter(Boolean))]
    const found: { hit: SearchHit; score: number }[] = []
    let unread = 0
    for (const candidate of candidatesOf(store.snapshot())) {
      // Whoever asked has gone: nobody waits for the rest.
      if (signal?.aborted) break
      const inName = words.filter((word) => candidate.folded.includes(word))
      const rest = words.filter((word) => !inName.includes(word))
      const text = await textOf(candidate.file)
      if (!text) unread += 1
      if (!rest.every((word) => text?.lines.some(([, folded]) => folded.includes(word)))) continue
      const line = text?.lines.find(([, folded]) => words.some((word) => folded.includes(word)))?.[0]
      const { name, uri, file, description } = candidate
      found.push({ hit: { name, uri, file, description, line }, score: inName.length })
    }
    found.sort((a, b) => b.score - a.score)
    return { hits: found.slice(0, limit).map(({ hit }) => hit), total: found.length, unread }
  }
}

interface Candidate {
  readonly name: string
  readonly uri: string
  readonly file: FolderFile
  readonly description?: string | undefined
  readonly folded: string
}

/** Every document once: by its names where it has some, else by its path. */
function candidatesOf({ named, files }: DocumentSnapshot): readonly Candidate[] {
  const catalogued = new Set([...named.values()].map(({ file }) => file.path))
  const byName = [...named.values()].map((document) =>
    candidateOf(document.name, uriOfName(document.name), document),
  )
  const byPath = [...files.values()]
    .filter(({ path }) => !catalogued.has(path))
    .map((file) => candidateOf(file.path, uriOfPath(file.path), { file }))
  return [...byName, ...byPath]
}

function candidateOf(
  name: string,
  uri: string,
  { file, title = '', description }: Partial<NamedDocument> & Pick<NamedDocument, 'file'>,
): Candidate {
  const folded = foldMarks(`${name}\n${title}\n${description ?? ''}\n${file.path}`)
  return { name, uri, file, description, folded }
}
