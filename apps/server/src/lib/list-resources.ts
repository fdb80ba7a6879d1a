import type { JsonObject, Outcome } from '@truename/mcp-link'
import type { DocumentSnapshot } from './document-store.ts'
import { catalogTemplate, treeTemplate, uriOfName, uriOfPath } from './document-uri.ts'
import { mediaTypeOf } from './media-type.ts'
import { pageAfter } from './page.ts'
import { invalidParams, result } from './replies.ts'

/** The two templates, each with the form its identifier has. */
export const resourceTemplates: readonly JsonObject[] = [
  {
    uriTemplate: catalogTemplate,
    name: 'catalog',
    title: 'Document by name',
    description:
      'A document by its name in the catalogue. {name} is a name: one segment, simple expansion (RFC 6570 level 1), ' +
      'in which a slash is data (%2F), a space %20 and a plus sign a plus sign.',
  },
  {
    uriTemplate: treeTemplate,
    name: 'tree',
    title: 'Document by file path',
    description:
      'A document by the path of its file. {/path*} is a path: a list of segments, path expansion with explode ' +
      '(RFC 6570 level 4), in which slashes separate folders.',
  },
]

/** One page of the concrete resources: the catalogue, or, in a folder without one, the files. */
export function listResources(snapshot: DocumentSnapshot, cursor: unknown, size: number): Outcome {
  if (cursor !== undefined && typeof cursor !== 'string') return invalidParams('"cursor" must be a string')
  const page = snapshot.catalogued
    ? pageAfter([...snapshot.named.values()], ({ name }) => name, cursor, size)
    : pageAfter([...snapshot.files.values()], ({ path }) => path, cursor, size)
  if (!page) return invalidParams('"cursor" is not one that this server gave; list again from the start')
  const resources = page.items.map((item) =>
    'file' in item
      ? describe(uriOfName(item.name), item.name, item.file.path, item.title, item.description)
      : describe(uriOfPath(item.path), item.path, item.path),
  )
  return result({ resources, ...(page.nextCursor !== undefined && { nextCursor: page.nextCursor }) })
}

function describe(uri: string, name: string, path: string, title?: string, description?: string): JsonObject {
  const mimeType = mediaTypeOf(path)
  return {
    uri,
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(mimeType !== undefined && { mimeType }),
  }
}
