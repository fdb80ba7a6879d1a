import type { JsonObject } from './json.ts'
import { isJsonObject } from './message.ts'
import type { WireError } from './outcome.ts'
import type { ListenFilter } from './port.ts'

/** The members of a {@link ListenFilter} that ask for list changes, with their notifications and capabilities. */
export const listChanges = [
  { member: 'toolsListChanged', method: 'notifications/tools/list_changed', family: 'tools' },
  { member: 'promptsListChanged', method: 'notifications/prompts/list_changed', family: 'prompts' },
  { member: 'resourcesListChanged', method: 'notifications/resources/list_changed', family: 'resources' },
] as const

const flag = (capabilities: JsonObject, family: string, name: string): boolean => {
  const declared = Object.hasOwn(capabilities, family) ? capabilities[family] : undefined
  return isJsonObject(declared) && declared[name] === true
}

/** The part of a filter that declared capabilities allow. Only `true` counts. */
export function honour(filter: ListenFilter, capabilities: JsonObject): ListenFilter {
  const honoured: { -readonly [K in keyof ListenFilter]: ListenFilter[K] } = {}
  for (const { member, family } of listChanges) {
    if (filter[member] === true && flag(capabilities, family, 'listChanged')) honoured[member] = true
  }
  const uris = filter.resourceSubscriptions
  if (uris && uris.length > 0 && flag(capabilities, 'resources', 'subscribe'))
    honoured.resourceSubscriptions = uris
  return honoured
}

/** Reads a filter as it came over the wire; `undefined` where it is none. */
export function readFilter(value: unknown): ListenFilter | undefined {
  if (!isJsonObject(value)) return undefined
  const uris = value.resourceSubscriptions
  if (uris !== undefined && !(Array.isArray(uris) && uris.every((uri) => typeof uri === 'string')))
    return undefined
  const filter: { -readonly [K in keyof ListenFilter]: ListenFilter[K] } = {}
  for (const { member } of listChanges) if (value[member] === true) filter[member] = true
  if (uris !== undefined) filter.resourceSubscriptions = [...new Set(uris as string[])]
  return filter
}

/** The reasons in what a service returned of listening. */
export function refusalsIn(listened: unknown): ReadonlyMap<string, WireError> {
  const refused = (listened as { readonly refused?: unknown } | null | undefined)?.refused
  return refused instanceof Map ? refused : new Map()
}

/** What any of several filters asks for. */
export function unionOf(filters: Iterable<ListenFilter>): ListenFilter {
  const union: { -readonly [K in keyof ListenFilter]: ListenFilter[K] } = {}
  const uris = new Set<string>()
  for (const filter of filters) {
    for (const { member } of listChanges) if (filter[member] === true) union[member] = true
    for (const uri of filter.resourceSubscriptions ?? []) uris.add(uri)
  }
  if (uris.size > 0) union.resourceSubscriptions = [...uris]
  return union
}

/** Whether a notification is one that only listeners get, and if so whether this filter asks for it. */
export function wants(
  filter: ListenFilter,
  method: string,
  params: JsonObject | undefined,
): boolean | undefined {
  const change = listChanges.find((candidate) => candidate.method === method)
  if (change) return filter[change.member] === true
  if (method !== 'notifications/resources/updated') return undefined
  return filter.resourceSubscriptions?.some((uri) => covers(uri, params?.uri)) ?? false
}

/**
 * Whether an update is one of the resource that was subscribed to: it may name a sub-resource of it (schema,
 * `ResourceUpdatedNotificationParams`).
 */
export function covers(subscribed: string, updated: unknown): boolean {
  if (typeof updated !== 'string') return false
  if (subscribed === updated) return true
  return (
    updated.startsWith(subscribed) &&
    (/[/#?]$/.test(subscribed) || /^[/#?]/.test(updated.slice(subscribed.length)))
  )
}

/** Whether a filter asks for nothing. */
export const isEmpty = (filter: ListenFilter): boolean => Object.keys(filter).length === 0

/** A filter as it stands on the wire. */
export const filterToJson = (filter: ListenFilter): JsonObject => ({
  ...filter,
  ...(filter.resourceSubscriptions ? { resourceSubscriptions: [...filter.resourceSubscriptions] } : {}),
})

/** The part of a filter that was granted. */
export const narrow = (filter: ListenFilter, granted: ListenFilter): ListenFilter => ({
  ...(filter.toolsListChanged && granted.toolsListChanged ? { toolsListChanged: true } : {}),
  ...(filter.promptsListChanged && granted.promptsListChanged ? { promptsListChanged: true } : {}),
  ...(filter.resourcesListChanged && granted.resourcesListChanged ? { resourcesListChanged: true } : {}),
  ...(filter.resourceSubscriptions
    ? {
        resourceSubscriptions: filter.resourceSubscriptions.filter((uri) =>
          granted.resourceSubscriptions?.includes(uri),
        ),
      }
    : {}),
})
