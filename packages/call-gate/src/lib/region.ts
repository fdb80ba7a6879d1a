import { type Glob, globCovers, globsMeet } from './glob.ts'
import type { Kind, Rule } from './policy.ts'

/**
 * A set of calls: those of a kind whose server and name match all patterns, whose caller has one of the profiles,
 * and whose arguments meet all conditions. A condition of which not `certain` is asked holds also where it cannot
 * be decided.
 */
export interface Region {
  readonly kind: Kind
  readonly servers: readonly Glob[]
  readonly names: readonly Glob[]
  readonly profiles: readonly string[] | undefined
  /** By the canonical text of the condition: whether it must hold for certain. */
  readonly conditions: ReadonlyMap<string, boolean>
}

/** The calls a rule speaks of. Rules that restrict also speak of those whose conditions cannot be decided. */
export const regionOf = (rule: Rule, certain = rule.decision === 'allow'): Region => ({
  kind: rule.kind,
  servers: [rule.server],
  names: [rule.name],
  profiles: rule.profiles,
  conditions: new Map(rule.when.map((condition) => [condition.text, certain])),
})

/** All calls of a kind. */
export const everything = (kind: Kind): Region => ({
  kind,
  servers: [],
  names: [],
  profiles: undefined,
  conditions: new Map(),
})

const both = (
  a: readonly string[] | undefined,
  b: readonly string[] | undefined,
): readonly string[] | undefined =>
  a === undefined ? b : b === undefined ? a : a.filter((one) => b.includes(one))

function allMeet(some: readonly Glob[], others: readonly Glob[]): boolean {
  for (const one of some) for (const other of others) if (!globsMeet(one, other)) return false
  return true
}

/** The calls in both, or `undefined` where there are certainly none. */
export function meet(a: Region, b: Region): Region | undefined {
  if (a.kind !== b.kind) return undefined
  if (!allMeet(a.servers, b.servers)) return undefined
  // A reading has two names, its URI and its template's text: rules for different names can both speak of it.
  if (a.kind !== 'resource' && !allMeet(a.names, b.names)) return undefined
  const profiles = both(a.profiles, b.profiles)
  if (profiles?.length === 0) return undefined
  const conditions = new Map(a.conditions)
  for (const [text, certain] of b.conditions) conditions.set(text, certain || conditions.get(text) === true)
  return {
    kind: a.kind,
    servers: [...new Set([...a.servers, ...b.servers])],
    names: [...new Set([...a.names, ...b.names])],
    profiles,
    conditions,
  }
}

/** Whether every call of `narrow` is certainly one of `wide`. */
export function contains(wide: Region, narrow: Region): boolean {
  if (wide.kind !== narrow.kind) return false
  if (!wide.servers.every((one) => isAny(one) || narrow.servers.some((other) => globCovers(one, other))))
    return false
  if (!wide.names.every((one) => isAny(one) || narrow.names.some((other) => globCovers(one, other))))
    return false
  const { profiles } = wide
  if (profiles && !narrow.profiles?.every((one) => profiles.includes(one))) return false
  for (const [text, certain] of wide.conditions) {
    const asked = narrow.conditions.get(text)
    if (asked === undefined || (certain && !asked)) return false
  }
  return true
}

const isAny = (glob: Glob): boolean => !glob.exact && glob.parts.every((part) => part === '')
