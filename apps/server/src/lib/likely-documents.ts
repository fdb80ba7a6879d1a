import { foldMarks } from '@truename/mcp-link'
import { diagnose, type UriFinding } from '@truename/uri-codec'
import type { DocumentSnapshot } from './document-store.ts'
import { catalogTemplate, treeTemplate, uriOfName, uriOfPath } from './document-uri.ts'

/** A document that a URI was probably meant for, and what is wrong with the URI if so. */
export interface LikelyDocument {
  readonly name: string
  /** The right URI. */
  readonly uri: string
  readonly findings: readonly UriFinding[]
}

const most = 5
/** Beyond this many characters a URI is not puzzled over. */
const longest = 8192

/**
 * Finds the documents that a URI which names nothing was probably meant for: those whose name or path it gives when
 * what clients do wrong is undone (plus signs for spaces, encoding twice, encoding nothing, encoding everything) and
 * letter case, normalisation and marks are forgiven. Nothing is ever read by such a guess.
 */
export function likelyDocuments(uri: string, snapshot: DocumentSnapshot): readonly LikelyDocument[] {
  if (uri.length > longest) return []
  const names = new Set<string>()
  const paths = new Set<string>()
  for (const text of undone(uri)) {
    const [, kind, rest = ''] = /^docs:\/{0,2}(catalog|tree)(?:\/+(.*))?$/is.exec(text) ?? []
    if (kind?.toLowerCase() === 'catalog') names.add(foldMarks(rest))
    if (kind?.toLowerCase() === 'tree') paths.add(foldMarks(rest.replaceAll('\\', '/')))
  }
  const byName = [...snapshot.named.keys()]
    .filter((name) => names.has(foldMarks(name)))
    .map((name) => ({
      name,
      uri: uriOfName(name),
      findings: diagnose(uri, { template: catalogTemplate, values: { name } }),
    }))
  const byPath = [...snapshot.files.keys()]
    .filter((path) => paths.has(foldMarks(path)))
    .map((path) => ({
      name: path,
      uri: uriOfPath(path),
      findings: diagnose(uri, { template: treeTemplate, values: { path: path.split('/') } }),
    }))
  // The fewer mistakes a reading needs, the likelier it is.
  return [...byName, ...byPath].sort((a, b) => a.findings.length - b.findings.length).slice(0, most)
}

/** A text and what it becomes when it is decoded, or its plus signs are read as spaces, up to three times over. */
function undone(uri: string): ReadonlySet<string> {
  const all = new Set([uri])
  for (let round = 0; round < 3; round += 1) {
    for (const text of [...all]) {
      all.add(text.replaceAll('+', ' '))
      all.add(decodeWhatCanBe(text))
    }
  }
  return all
}

function decodeWhatCanBe(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes)
    } catch {
      return escapes
    }
  })
}
