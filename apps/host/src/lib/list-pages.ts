import type { Json, JsonObject, Upstream } from '@truename/mcp-link'

/** Everything of one kind that a server lists. */
export interface Listed {
  readonly items: readonly JsonObject[]
  /** `_meta` of each page. */
  readonly metas: readonly JsonObject[]
  /** When the first page arrived: ISO 8601, UTC. */
  readonly time: string
  /** What stopped the listing before its end. */
  readonly problem?: string
}

/** Pages that are asked for at most: a server that never ends is cut off and named. */
const mostPages = 1000

/**
 * Lists every page of one kind. A server without the capability lists nothing, which is no problem.
 * @param member the member of the result that holds the items
 */
export async function listPages(upstream: Upstream, method: string, member: string): Promise<Listed> {
  const items: JsonObject[] = []
  const metas: JsonObject[] = []
  const cursors = new Set<string>()
  let time: string | undefined
  let cursor: string | undefined
  const end = (problem?: string): Listed => ({
    items,
    metas,
    time: time ?? new Date().toISOString(),
    ...(problem !== undefined && { problem: `${method}: ${problem}` }),
  })
  for (let page = 0; page < mostPages; page += 1) {
    const outcome = await upstream.request(method, cursor === undefined ? {} : { cursor })
    if (outcome.kind === 'error') {
      const absent = outcome.failure === 'refused' || outcome.error.code === -32601
      return absent && page === 0 ? end() : end(outcome.error.message)
    }
    time ??= new Date().toISOString()
    const { [member]: listed, nextCursor, _meta } = outcome.value
    if (!Array.isArray(listed)) return end(`the answer has no list "${member}"`)
    items.push(...listed.filter(isObject))
    if (isObject(_meta)) metas.push(_meta)
    if (typeof nextCursor !== 'string') return end()
    if (cursors.has(nextCursor)) return end('the server gives the same cursor twice')
    cursors.add(nextCursor)
    cursor = nextCursor
  }
  return end(`more than ${mostPages} pages`)
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
