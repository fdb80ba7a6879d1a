import { normalizeClientCapabilities, readServerCapabilities } from './capabilities.ts'
import { isObject, type JsonObject, own } from './json.ts'
import { computePermission, type Permission, ruleFor, unknownMessage } from './permission.ts'

/** One upstream as a gateway sees it; a `Negotiation` is one. */
export interface UpstreamView {
  /** Undefined while unknown: such an upstream adds nothing. */
  readonly capabilities?: JsonObject | undefined
  /** Where given, a feature counts only if it may be used: after a -32601 it does not. */
  readonly can?: ((method: string) => Permission) | undefined
}

export interface GatewayOptions {
  /**
   * What the gateway can route, written as server capabilities. Default: tools, resources, prompts, completions and
   * logging with `listChanged` and `subscribe`. A flag that is `false` here stays false.
   */
  readonly routes?: JsonObject | undefined
  /** What the gateway offers by itself, whatever its upstreams have. */
  readonly own?: JsonObject | undefined
}

const ROUTES: JsonObject = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
}

/** A message of each feature, of either era, that tells whether it still may be used. */
const USES: Readonly<Record<string, readonly string[]>> = {
  tools: ['tools/list'],
  prompts: ['prompts/list'],
  resources: ['resources/list', 'resources/templates/list', 'resources/read'],
  completions: ['completion/complete'],
  'resources.subscribe': ['resources/subscribe', 'subscriptions/listen'],
}

const usable = (upstream: UpstreamView, feature: string): boolean =>
  upstream.can === undefined ||
  (USES[feature]?.some((method) => upstream.can?.(method).allowed !== false) ?? true)

/**
 * What a gateway declares to its clients: what some upstream supports and it can route. Presence is support, so
 * `{}` counts; a flag is true only where an upstream has it, it can be used, and the gateway can deliver it.
 */
export function unionForGateway(
  upstreams: readonly UpstreamView[],
  options: GatewayOptions = {},
): JsonObject {
  const routes = options.routes ?? ROUTES
  const declared = upstreams.map((view) => ({
    view,
    capabilities: readServerCapabilities(view.capabilities ?? {}).capabilities,
  }))
  if (options.own) declared.push({ view: {}, capabilities: readServerCapabilities(options.own).capabilities })
  const union: [string, JsonObject][] = []
  for (const [name, route] of Object.entries(routes)) {
    if (!isObject(route)) continue
    const having = declared.filter(
      ({ view, capabilities }) => isObject(own(capabilities, name)) && usable(view, name),
    )
    if (having.length === 0) continue
    union.push([name, merge(name, route, having)])
  }
  return Object.fromEntries(union)
}

function merge(
  name: string,
  route: JsonObject,
  having: readonly { readonly view: UpstreamView; readonly capabilities: JsonObject }[],
): JsonObject {
  const members = Object.entries(route).flatMap(([member, routed]): [string, boolean | JsonObject][] => {
    const values = having
      .filter(({ view }) => usable(view, `${name}.${member}`))
      .map(({ capabilities }) => own(own(capabilities, name), member))
    if (routed === false) return [[member, false]]
    if (routed === true) return values.includes(true) ? [[member, true]] : []
    return isObject(routed) && values.some(isObject) ? [[member, routed]] : []
  })
  return Object.fromEntries(members)
}

/**
 * What a client can answer of what is needed: the client capabilities to declare upstream for it, per request in the
 * modern era. `elicitation: {}` means the form mode on both sides; a flag that only one side has is left out.
 */
export function intersectClient(declared: JsonObject, needed: JsonObject): JsonObject {
  return common(normalizeClientCapabilities(declared), normalizeClientCapabilities(needed), true)
}

function common(a: JsonObject, b: JsonObject, top: boolean): JsonObject {
  const shared = Object.entries(b).flatMap(([member, wanted]): [string, JsonObject | true][] => {
    const has = own(a, member)
    if (wanted === true && has === true) return [[member, true]]
    if (!isObject(wanted) || !isObject(has)) return []
    const inner = common(has, wanted, false)
    const modes = top && member === 'elicitation'
    return modes && Object.keys(inner).length === 0 ? [] : [[member, inner]]
  })
  return Object.fromEntries(shared)
}

/**
 * Whether a client can answer a server's request, from what it declared (in the modern era: with that one request).
 * For a gateway that relays `sampling/createMessage`, `elicitation/create` and `roots/list`.
 */
export function clientCanAnswer(
  client: { readonly version: string; readonly capabilities: JsonObject },
  method: string,
  params?: JsonObject,
): Permission {
  const rule = ruleFor('server', method)
  if (rule === undefined) return unknownMessage(method)
  return computePermission(rule, params, {
    version: client.version,
    server: undefined,
    client: normalizeClientCapabilities(client.capabilities),
  })
}
