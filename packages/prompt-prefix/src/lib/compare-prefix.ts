import { type Key, keyId } from '@truename/tool-registry/identity'
import { dollars, picodollars } from './money.ts'
import type { Prefix, PrefixToolDigest } from './prefix.ts'
import type { Prices } from './prices.ts'

/** What a change of the prefix loses: everything cached, or only the system text and what follows it. */
export type Lost = 'prefix' | 'system'

/** One thing that moved the prefix, in the order a model API reads it. */
export interface PrefixChange {
  /**
   * `respelled`: the same definition in other bytes (members in another order, other escapes), which a cache takes
   * for another; `moved`: the same bytes in another place.
   */
  readonly change: 'added' | 'removed' | 'changed' | 'respelled' | 'moved'
  /** The pair, for a tool. */
  readonly key: Key | undefined
  /** The part of the system text. */
  readonly source: string | undefined
  /** The first member that differs; `system` for system text; undefined where the whole tool came, went or moved. */
  readonly field: string | undefined
  /** All members that differ. */
  readonly fields: readonly string[]
  /** Its place among the tools, or among the parts of the system text, in the newer prefix (older, if removed). */
  readonly position: number
  readonly lost: Lost
  /** Tokens that were cached and must be written again; undefined where token counts were not given. */
  readonly lostTokens: number | undefined
  /** What writing them again costs over reading them, in US dollars; undefined without prices. */
  readonly cost: number | undefined
}

/** What {@link comparePrefix} needs to say what a change cost. */
export interface ComparePrefixOptions {
  /** Tokens of the tools and of the system text of the newer prefix; estimated at four bytes a token if not given. */
  readonly tokens?: { readonly tools: number; readonly system: number } | undefined
  readonly prices?: Prices | undefined
  /**
   * Whether the tools are cached on their own (a cache breakpoint after them, or a provider that matches the longest
   * common prefix), so that a change of the system text leaves them cached. False unless said otherwise.
   */
  readonly toolsCachedAlone?: boolean | undefined
}

/**
 * What moved between two prefixes, tools first, by pair and field; empty exactly when their digests are equal. A
 * change of any tool loses the whole prefix, not the part after it.
 */
export function comparePrefix(a: Prefix, b: Prefix, options: ComparePrefixOptions = {}): PrefixChange[] {
  if (a.digest === b.digest) return []
  const cost = costs(b, options)
  return [
    ...compareTools(a, b).map((change) => ({ ...change, ...cost('prefix') })),
    ...compareSystem(a, b).map((change) => ({
      ...change,
      ...cost(options.toolsCachedAlone ? 'system' : 'prefix'),
    })),
  ]
}

type Moved = Omit<PrefixChange, 'lost' | 'lostTokens' | 'cost'>

function costs(prefix: Prefix, { tokens, prices }: ComparePrefixOptions) {
  const estimate = (parts: readonly { readonly bytes: number }[]): number =>
    Math.ceil(parts.reduce((sum, { bytes }) => sum + bytes, 0) / 4)
  const tools = tokens?.tools ?? estimate(prefix.tools)
  const system = tokens?.system ?? estimate(prefix.system)
  return (lost: Lost): Pick<PrefixChange, 'lost' | 'lostTokens' | 'cost'> => {
    const lostTokens = lost === 'prefix' ? tools + system : system
    const cost = prices
      ? dollars(picodollars(lostTokens, prices.cacheWrite) - picodollars(lostTokens, prices.cacheRead))
      : undefined
    return { lost, lostTokens, cost }
  }
}

function compareTools(a: Prefix, b: Prefix): Moved[] {
  const before = new Map(a.tools.map((tool) => [keyId(tool.key), tool]))
  const after = new Map(b.tools.map((tool) => [keyId(tool.key), tool]))
  const tool = (
    one: PrefixToolDigest,
    position: number,
    change: Moved['change'],
    fields: readonly string[],
  ): Moved => ({
    change,
    key: one.key,
    source: undefined,
    field: fields[0],
    fields,
    position,
  })
  const changes: Moved[] = []
  for (const [position, one] of a.tools.entries()) {
    if (!after.has(keyId(one.key))) changes.push(tool(one, position, 'removed', []))
  }
  for (const [position, one] of b.tools.entries()) {
    const old = before.get(keyId(one.key))
    if (!old) changes.push(tool(one, position, 'added', []))
    else if (old.digest !== one.digest) {
      const respelled = old.definition === one.definition
      changes.push(tool(one, position, respelled ? 'respelled' : 'changed', differingFields(old, one)))
    }
  }
  const common = (prefix: Prefix, other: ReadonlyMap<string, unknown>): string[] =>
    prefix.tools.map(({ key }) => keyId(key)).filter((id) => other.has(id))
  const oldOrder = common(a, after)
  const moved = common(b, before).findIndex((id, index) => id !== oldOrder[index])
  if (moved >= 0) {
    const position = b.tools.findIndex(({ key }) => keyId(key) === common(b, before)[moved])
    const one = b.tools[position]
    if (one) changes.push(tool(one, position, 'moved', []))
  }
  return changes.sort((x, y) => x.position - y.position)
}

const differingFields = (a: PrefixToolDigest, b: PrefixToolDigest): string[] =>
  [...new Set([...Object.keys(b.fields), ...Object.keys(a.fields)])].filter(
    (field) => a.fields[field] !== b.fields[field],
  )

function compareSystem(a: Prefix, b: Prefix): Moved[] {
  const changes: Moved[] = []
  for (let position = 0; position < Math.max(a.system.length, b.system.length); position += 1) {
    const before = a.system[position]
    const after = b.system[position]
    if (before?.digest === after?.digest && before?.bytes === after?.bytes) continue
    changes.push({
      change: before === undefined ? 'added' : after === undefined ? 'removed' : 'changed',
      key: undefined,
      source: (after ?? before)?.source,
      field: 'system',
      fields: ['system'],
      position,
    })
  }
  return changes
}
