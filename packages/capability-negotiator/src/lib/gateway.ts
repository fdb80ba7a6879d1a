import { normalizeClientCapabilities, readServerCapabilities } from './capabilities.ts'
import { isObject, type Json, type JsonObject, own } from './json.ts'
import { ALLOWED, computePermission, type Permission, ruleFor, unknownMessage } from './permission.ts'

/** One upstream as a gateway sees it; a `Negotiation` is one. */
export interface UpstreamView {
  /** Undefined while unknown: such an upstream adds nothing. */
  readonly capabilities?: object | undefined
  /** Where given, a feature counts only if it may be used: after a -32601 it does not. */
  readonly can?: ((method: string) => Permission) | undefined
}

export interface GatewayOptions {
  /**
   * What the gateway can route, written as server capabilities. Default: tools, resources, prompts, completions and
   * logging with `listChanged` and `subscribe`. A flag that is `false` here stays false.
   */
  readonly routes?: object | undefined
  /** What the gateway offers by itself, whatever its upstreams have. */
  readonly own?: object | undefined
  /**
   * Families whose list changes the gateway announces itself, for one when an upstream connects later: where such a
   * family is declared, so is its `listChanged`.
   */
  readonly announces?: readonly ('tools' | 'resources' | 'prompts')[] | undefined
}

const ROUTES: JsonObject = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
}

/** A message of each feature, of either era, that tells whether it still may be used. */
const USES: ReadonlyMap<string, readonly string[]> = new Map([
  ['tools', ['tools/list']],
  ['prompts', ['prompts/list']],
  ['resources', ['resources/list', 'resources/templates/list', 'resources/read']],
  ['completions', ['completion/complete']],
  ['logging', ['logging/setLevel']],
  ['resources.subscribe', ['resources/subscribe', 'subscriptions/listen']],
])

/** Of the messages a feature has in the upstream's revision, one at least is not refused. */
function usable(upstream: UpstreamView, feature: string): boolean {
  const permissions = (USES.get(feature) ?? []).map((method) => upstream.can?.(method) ?? ALLOWED)
  const existing = permissions.filter(
    (p) => p.allowed !== false || (p.why !== 'removed' && p.why !== 'not-yet'),
  )
  return existing.length === 0 || existing.some(({ allowed }) => allowed !== false)
}

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
  const union = Object.entries(routes).flatMap(([name, route]): [string, JsonObject][] => {
    if (!isObject(route)) return []
    const having = declared.filter(
      ({ view, capabilities }) => isObject(own(capabilities, name)) && usable(view, name),
    )
    if (having.length === 0) return []
    const announced = (options.announces ?? []).some((family) => family === name)
    return [[name, merge(name, route, having, announced)]]
  })
  return Object.fromEntries(union)
}

function merge(
  name: string,
  route: JsonObject,
  having: readonly { readonly view: UpstreamView; readonly capabilities: JsonObject }[],
  announced: boolean,
): JsonObject {
  const members = Object.entries(route).flatMap(([member, routed]): [string, Json][] => {
    const values = having
      .filter(({ view }) => usable(view, `${name}.${member}`))
      .map(({ capabilities }) => own(own(capabilities, name), member))
    if (routed === false) return [[member, false]]
    if (routed === true) {
      const on = values.includes(true) || (announced && member === 'listChanged')
      return on ? [[member, true]] : []
    }
    return isObject(routed) && values.some(isObject) ? [[member, routed]] : []
  })
  return Object.fromEntries(members)
}

/**
 * What a client can answer of what is needed: the client capabilities to declare upstream for it, per request in the
 * modern era. `elicitation: {}` means the form mode on both sides; a flag that only one side has is left out; an
 * extension or experiment that both have keeps the client's settings.
 */
export function intersectClient(declared: object, needed: object): JsonObject {
  const has = normalizeClientCapabilities(declared)
  const wants = normalizeClientCapabilities(needed)
  const shared = Object.keys(wants).flatMap((name): [string, JsonObject][] => {
    const ours = own(has, name)
    const theirs = own(wants, name)
    if (!isObject(ours) || !isObject(theirs)) return []
    const settings = name === 'extensions' || name === 'experimental'
    const both = settings ? shareSettings(ours, theirs) : shareFlags(ours, theirs)
    // An elicitation object without a mode would be read as the form mode, which one side may not have.
    const modeless = name === 'elicitation' && !('form' in both) && !('url' in both)
    return modeless || (settings && Object.keys(both).length === 0) ? [] : [[name, both]]
  })
  return Object.fromEntries(shared)
}

function shareSettings(ours: JsonObject, theirs: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.keys(theirs).flatMap((id): [string, JsonObject][] => {
      const settings = own(ours, id)
      return isObject(settings) && isObject(own(theirs, id)) ? [[id, settings]] : []
    }),
  )
}

function shareFlags(ours: JsonObject, theirs: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.keys(theirs).flatMap((member): [string, Json][] => {
      const mine = own(ours, member)
      const wanted = own(theirs, member)
      if (wanted === true && mine === true) return [[member, true]]
      return isObject(mine) && isObject(wanted) ? [[member, shareFlags(mine, wanted)]] : []
    }),
  )
}

/**
 * Whether a client can answer a server's request, from what it declared (in the modern era: with that one request).
 * For a gateway that relays `sampling/createMessage`, `elicitation/create` and `roots/list`.
 */
export function clientCanAnswer(
  client: { readonly version: string; readonly capabilities: object },
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
