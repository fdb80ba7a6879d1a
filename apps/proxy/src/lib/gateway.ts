import type { Gate } from '@truename/call-gate'
import type { DecisionLog } from '@truename/decision-log'
import {
  type DownstreamContext,
  type HeldMeta,
  heldMeta,
  isJsonObject,
  type JsonObject,
  keyMeta,
  type Outcome,
} from '@truename/mcp-link'
import type { Key, LockedServer } from '@truename/tool-registry'
import type { Catalogue } from './catalogue.ts'
import { complete } from './complete.ts'
import { type CallServices, guardedCall } from './guarded-call.ts'
import { listResources } from './list-resources.ts'
import { listTemplates } from './list-templates.ts'
import { readResource } from './read-resource.ts'
import { failedInside, requestRefusal, toolRefusal } from './refusal.ts'
import { isSubscribable } from './subscribable.ts'
import type { UpstreamPool } from './upstream-pool.ts'
import { rewriteResultUris } from './uri-rewrite.ts'
import type { UriRoutes } from './uri-routes.ts'

/** Everything a gateway is composed of. */
export interface GatewayParts {
  readonly catalogue: Catalogue
  readonly servers: readonly LockedServer[]
  readonly pool: UpstreamPool
  readonly routes: UriRoutes
  readonly gate: Gate
  readonly log: DecisionLog | undefined
  readonly callTimeoutMs: number
  readonly listTimeoutMs: number
  readonly onEvent: (level: 'info' | 'warn' | 'error', server: string, message: string) => void
}

/** What decides and sends, with the entries and routes of one lock. */
export type GatewayServices = CallServices & { readonly routes: UriRoutes }

/** Makes of the parts what calls, readings and subscriptions need. */
export function servicesOf(parts: GatewayParts): GatewayServices {
  const byId = new Map(parts.servers.map((server) => [server.id, server]))
  return { ...parts, locked: (id) => byId.get(id) }
}

/** Answers the requests of clients, of either era. */
export type Gateway = (method: string, params: JsonObject, context: DownstreamContext) => Promise<Outcome>

const result = (value: JsonObject): Outcome => ({ kind: 'result', value })

const error = (code: number, message: string): Outcome => ({ kind: 'error', error: { code, message } })

/** Composes catalogue, gate, log, routes and upstreams into one handler. */
export function createGateway(parts: GatewayParts): Gateway {
  const { catalogue, pool, routes } = parts
  const services = servicesOf(parts)

  const listed = (member: 'tools' | 'prompts', kind: Key['kind']): Outcome =>
    result({ [member]: catalogue[member], _meta: { [heldMeta]: heldOf(pool, kind) } })

  const callTool: Gateway = async (_method, params, context) => {
    const key = typeof params.name === 'string' ? catalogue.names.key(params.name, 'tool') : undefined
    if (!key) return unknownName('tool', params.name)
    const args = params.arguments ?? {}
    const guarded = await guardedCall(services, {
      key,
      method: 'tools/call',
      flat: params.name as string,
      params: { ...params, name: key.name },
      args,
      context,
    })
    if (guarded.kind !== 'answered') return toolRefusal(key, guarded)
    return fromUpstream(guarded.outcome, key)
  }

  const getPrompt: Gateway = async (_method, params, context) => {
    const key = typeof params.name === 'string' ? catalogue.names.key(params.name, 'prompt') : undefined
    if (!key) return unknownName('prompt', params.name)
    const guarded = await guardedCall(services, {
      key,
      method: 'prompts/get',
      flat: params.name as string,
      params: { ...params, name: key.name },
      args: params.arguments ?? {},
      context,
    })
    if (guarded.kind !== 'answered') return requestRefusal(key, guarded)
    return fromUpstream(guarded.outcome, key)
  }

  /** The upstream's own result, with its resource URIs as clients know them and the key that answered. */
  const fromUpstream = (outcome: Outcome, key: Key): Outcome => {
    if (outcome.kind !== 'result') return outcome
    const value = rewriteResultUris(outcome.value, (uri) => routes.toClient(key.server, uri))
    return result({ ...value, _meta: { ...(value._meta as JsonObject | undefined), [keyMeta]: { ...key } } })
  }

  const handlers: Readonly<Record<string, Gateway>> = {
    ping: async () => result({}),
    'tools/list': async () => listed('tools', 'tool'),
    'prompts/list': async () => listed('prompts', 'prompt'),
    'tools/call': callTool,
    'prompts/get': getPrompt,
    'resources/templates/list': async () =>
      result({ resourceTemplates: listTemplates(catalogue, parts.servers, routes) }),
    'resources/list': async (_method, params, context) =>
      listResources(parts, typeof params.cursor === 'string' ? params.cursor : undefined, context),
    'resources/read': async (_method, params, context) => readResource(services, params, context),
    'completion/complete': async (_method, params, context) => complete(parts, params, context),
  }

  return async (method, params, context) => {
    const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined
    if (!handler) return error(-32601, `Method not found: ${method}`)
    try {
      return await handler(method, params, context)
    } catch (thrown) {
      parts.onEvent('error', '', `${method}: ${(thrown as Error).message}`)
      return failedInside(thrown)
    }
  }

  function unknownName(kind: 'tool' | 'prompt', name: unknown): Outcome {
    return error(
      -32602,
      `Unknown ${kind}: ${JSON.stringify(name)}. Names are exact; list the ${kind}s to see them.`,
    )
  }
}

/** Answers by the gateway in force; a listing that was begun by an earlier one is made again. */
export const gatewayInForce =
  (inForce: () => Gateway): Gateway =>
  async (method, params, context) => {
    for (;;) {
      const gateway = inForce()
      const outcome = await gateway(method, params, context)
      if (gateway === inForce() || method !== 'resources/list' || context.signal.aborted) return outcome
    }
  }

/** What is held back on the connections seen so far, one entry per definition and field. */
export const heldOf = (pool: UpstreamPool, kind?: Key['kind']): readonly HeldMeta[] =>
  pool
    .held()
    .flatMap(({ key, field, change, message }) =>
      key && (kind === undefined || key.kind === kind) ? [{ ...key, field: field ?? change, message }] : [],
    )

/**
 * What a client is told this gateway can do: what some server of the lock has and the gateway routes. Lists change where
 * a person approves another lock.
 */
export function gatewayCapabilities(servers: readonly LockedServer[]): JsonObject {
  const some = (member: string) => servers.some(({ capabilities }) => isJsonObject(capabilities[member]))
  const resources = servers.some(
    ({ capabilities, modes }) => modes.resources === 'on' && isJsonObject(capabilities.resources),
  )
  return {
    ...(some('tools') && { tools: { listChanged: true } }),
    ...(some('prompts') && { prompts: { listChanged: true } }),
    ...(resources && {
      resources: { listChanged: true, ...(servers.some(isSubscribable) && { subscribe: true }) },
    }),
    ...(some('completions') && { completions: {} }),
  }
}
