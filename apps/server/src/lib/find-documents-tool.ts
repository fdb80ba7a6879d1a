import type { DownstreamContext, JsonObject, Outcome } from '@truename/mcp-link'
import { mediaTypeOf } from './media-type.ts'
import { result, toolError } from './replies.ts'
import type { SearchDocuments, SearchHit, SearchResult } from './search-documents.ts'

const most = 50

/** The definition of the tool `find_documents`. */
export const findDocumentsTool: JsonObject = {
  name: 'find_documents',
  title: 'Find documents',
  description:
    'Finds documents by words in their names and texts and gives the URI of each, to be read with resources/read. ' +
    'Letter case, accents and Unicode normalisation do not matter; every word must occur.',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', minLength: 1, description: 'One or more words.' },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: most,
        default: 10,
        description: 'How many documents at most.',
      },
    },
    required: ['query'],
  },
  outputSchema: {
    type: 'object',
    properties: {
      documents: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            uri: { type: 'string' },
            line: { type: 'string', description: 'A line of the text with one of the words.' },
          },
          required: ['name', 'uri'],
        },
      },
      total: { type: 'integer' },
    },
    required: ['documents', 'total'],
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
}

/** The revision that brought `resource_link` contents; earlier clients know no such type. */
const linksSince = '2025-06-18'

/** Calls the tool `find_documents`; what is wrong with the arguments is said in a way a model can act on. */
export async function callFindDocuments(
  search: SearchDocuments,
  args: JsonObject,
  { client, signal }: Pick<DownstreamContext, 'client' | 'signal'>,
): Promise<Outcome> {
  const { query, limit = 10 } = args
  if (typeof query !== 'string' || query.trim() === '') {
    return toolError('"query" must be a string with at least one word')
  }
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > most) {
    return toolError(`"limit" must be a whole number from 1 to ${most}`)
  }
  const found = await search(query, limit, signal)
  const links = client.version >= linksSince ? found.hits.map(linkTo) : []
  return result({
    content: [{ type: 'text', text: describe(query, found) }, ...links],
    structuredContent: {
      documents: found.hits.map(({ name, uri, line }) =>
        line === undefined ? { name, uri } : { name, uri, line },
      ),
      total: found.total,
    },
  })
}

function describe(query: string, { hits, total, unread }: SearchResult): string {
  const shown = JSON.stringify(query)
  if (total === 0) return `No document holds every word of ${shown}.${unread > 0 ? skipped(unread) : ''}`
  const count = total === 1 ? '1 document holds' : `${total} documents hold`
  const more = total > hits.length ? `, the first ${hits.length} are` : ''
  const lines = hits.map(({ name, uri, line }) =>
    [`${name}\n  ${uri}`, ...(line ? [`  ${line.trim()}`] : [])].join('\n'),
  )
  return [`${count} every word of ${shown}${more}:`, ...lines].join('\n')
}

function skipped(unread: number): string {
  return ` ${unread === 1 ? '1 document was' : `${unread} documents were`} searched by name only.`
}

function linkTo({ name, uri, file, description }: SearchHit): JsonObject {
  const mimeType = mediaTypeOf(file.path)
  return {
    type: 'resource_link',
    uri,
    name,
    ...(description && { description }),
    ...(mimeType && { mimeType }),
  }
}
