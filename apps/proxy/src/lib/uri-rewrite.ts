import { isJsonObject, type Json, type JsonObject } from '@truename/mcp-link'

/** Where in a result URIs stand that belong to the server's resources. */
const listsOfItems = ['contents', 'content', 'messages', 'resources'] as const

const rewriteItem = (item: Json, toClient: (uri: string) => string): Json => {
  if (!isJsonObject(item)) return item
  const own =
    typeof item.uri === 'string' && (item.type === undefined || item.type === 'resource_link')
      ? { uri: toClient(item.uri) }
      : {}
  const resource = isJsonObject(item.resource) ? { resource: rewriteItem(item.resource, toClient) } : {}
  const content = item.content === undefined ? {} : { content: rewriteEach(item.content, toClient) }
  return { ...item, ...own, ...resource, ...content }
}

const rewriteEach = (value: Json, toClient: (uri: string) => string): Json =>
  Array.isArray(value) ? value.map((item: Json) => rewriteItem(item, toClient)) : rewriteItem(value, toClient)

/**
 * A result with its resource URIs as clients know them: those of contents, resource links and embedded resources.
 * URIs inside plain text, and those a client fetches itself (`http:`, `https:`), stay as they are.
 */
export function rewriteResultUris(result: JsonObject, toClient: (uri: string) => string): JsonObject {
  const mapped = (uri: string): string => (/^https?:/i.test(uri) ? uri : toClient(uri))
  const changed = listsOfItems.filter((member) => result[member] !== undefined)
  if (changed.length === 0) return result
  return {
    ...result,
    ...Object.fromEntries(changed.map((member) => [member, rewriteEach(result[member] as Json, mapped)])),
  }
}
