import { type Permission, parameterHeaders } from '@truename/capability-negotiator'
import { failure } from './failure.ts'
import type { Json, JsonObject } from './json.ts'
import { isJsonObject } from './message.ts'
import type { WireError } from './outcome.ts'
import type { Upstream } from './port.ts'

/** Everything of one kind that a server lists. */
export interface Family<Item = JsonObject> {
  /** As they came, in the server's order. */
  readonly items: readonly Item[]
  /** `unsupported`: not declared, and not asked. `failed`: what there is may be incomplete. */
  readonly state: 'complete' | 'unsupported' | 'failed'
  /** How many pages were read. */
  readonly pages: number
  /** The `_meta` of the pages that have one, in order. */
  readonly metas: readonly JsonObject[]
  readonly error?: WireError
  /** What was odd: repeated cursors, pages beyond the limit, items that are no objects, tools that are not legal. */
  readonly warnings: readonly string[]
}

/** Everything a server lists. */
export interface Surface {
  readonly tools: Family
  readonly prompts: Family
  readonly resources: Family
  readonly resourceTemplates: Family
}

const families = {
  tools: { method: 'tools/list', member: 'tools' },
  prompts: { method: 'prompts/list', member: 'prompts' },
  resources: { method: 'resources/list', member: 'resources' },
  resourceTemplates: { method: 'resources/templates/list', member: 'resourceTemplates' },
} as const

/** How to list. */
export interface ListOptions {
  readonly signal?: AbortSignal | undefined
  /** Of one family; default 1000. */
  readonly maxPages?: number | undefined
  /** Of one family; default 100 000. */
  readonly maxItems?: number | undefined
}

/**
 * Lists everything a server offers, all pages of all four kinds. Each kind stands alone: one that fails does not take
 * the others with it, and what the negotiation does not allow is not asked.
 */
export async function listSurface(upstream: Upstream, options: ListOptions = {}): Promise<Surface> {
  await known(upstream)
  const [tools, prompts, resources, resourceTemplates] = await Promise.all([
    listFamily(upstream, 'tools', options),
    listFamily(upstream, 'prompts', options),
    listFamily(upstream, 'resources', options),
    listFamily(upstream, 'resourceTemplates', options),
  ])
  return { tools, prompts, resources, resourceTemplates }
}

/** A server that was only remembered is asked what it has, rather than for everything it may not have. */
async function known(upstream: Upstream): Promise<void> {
  const { negotiation } = upstream
  if (negotiation.era === 'modern' && negotiation.capabilities === undefined) await upstream.discover()
}

/** Lists one kind, all pages. */
export async function listFamily(
  upstream: Upstream,
  family: keyof Surface,
  { signal, maxPages = 1000, maxItems = 100_000 }: ListOptions = {},
): Promise<Family> {
  const { method, member } = families[family]
  await known(upstream)
  const permission: Permission = upstream.negotiation.can(method)
  if (permission.allowed === false)
    return { items: [], state: 'unsupported', pages: 0, metas: [], warnings: [] }
  const items: JsonObject[] = []
  const metas: JsonObject[] = []
  const warnings: string[] = []
  const seen = new Set<string>()
  let cursor: string | undefined
  let pages = 0
  const failed = (error: WireError): Family => ({ items, state: 'failed', pages, metas, error, warnings })

  for (let restarted = false; ; ) {
    const outcome = await upstream.request(method, cursor === undefined ? {} : { cursor }, { signal })
    if (outcome.kind !== 'result') {
      const error = outcome.kind === 'error' ? outcome.error : failureError(method)
      // A cursor that is refused has gone stale: all pages are dropped and the walk begins anew, once.
      if (cursor !== undefined && !restarted && outcome.kind === 'error' && outcome.failure === undefined) {
        warnings.push(`${method}: a cursor was refused (${error.code}); starting again`)
        restarted = true
        items.length = 0
        metas.length = 0
        seen.clear()
        cursor = undefined
        pages = 0
        continue
      }
      return failed(error)
    }
    pages += 1
    const page = outcome.value[member]
    if (!Array.isArray(page))
      return failed({ code: -32603, message: `${method}: the result has no list "${member}"` })
    collect(page as readonly Json[])
    if (isJsonObject(outcome.value._meta)) metas.push(outcome.value._meta)
    const { nextCursor } = outcome.value
    if (nextCursor === undefined || nextCursor === null) break
    if (typeof nextCursor !== 'string') {
      warnings.push(`${method}: nextCursor is no string; the walk ends here`)
      break
    }
    // An empty cursor is a cursor like any other (2026-07-28, server/utilities/pagination).
    if (seen.has(nextCursor)) {
      warnings.push(`${method}: the server repeated a cursor; the walk ends here`)
      break
    }
    if (items.length >= maxItems)
      return failed({ code: -32603, message: `${method}: more than ${maxItems} entries` })
    if (pages >= maxPages) {
      warnings.push(`${method}: there are more than ${maxPages} pages; the walk ends here`)
      return failed({ code: -32603, message: `${method}: more than ${maxPages} pages` })
    }
    seen.add(nextCursor)
    cursor = nextCursor
  }
  return { items, state: 'complete', pages, metas, warnings }

  function collect(page: readonly Json[]): void {
    for (const item of page) {
      if (!isJsonObject(item)) warnings.push(`${method}: an entry that is no object was left out`)
      else if (!legalOverHttp(item)) continue
      else items.push(item)
    }
  }
  /** Over HTTP a client must leave out a tool whose header declarations are not legal (2026-07-28). */
  function legalOverHttp(item: JsonObject): boolean {
    const { negotiation } = upstream
    if (family !== 'tools' || negotiation.era !== 'modern' || Object.keys(negotiation.headers()).length === 0)
      return true
    const scan = parameterHeaders(item.inputSchema)
    if (!scan.ok)
      warnings.push(`tool ${JSON.stringify(item.name)} was left out: ${scan.path.join('.')}: ${scan.problem}`)
    return scan.ok
  }
}

const failureError = (method: string): WireError => {
  const outcome = failure('invalid', `${method}: the server asked for input, which lists must not`)
  return outcome.kind === 'error' ? outcome.error : { code: -32603, message: method }
}
