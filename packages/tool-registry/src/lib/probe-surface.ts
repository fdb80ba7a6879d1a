import { canonicalJson } from './canonical-json.ts'
import { digestSet, digestText, tryDigestDefinition } from './digest.ts'
import { isObject } from './json.ts'
import type { Key } from './key.ts'
import { type CatalogueList, kindOf, listOf, ownName, type Surface } from './surface.ts'

/** One connection to a server, as a probe uses it. */
export interface ProbeConnection {
  /** Lists everything anew: all pages of all lists. */
  list(): Promise<Surface>
  /** Calls a tool; whatever comes of it counts as done. Absent where nothing may be called. */
  call?(key: Key): Promise<void>
  close(): Promise<void>
}

/** Options of {@link probeSurface}. */
export interface ProbeOptions {
  /** Connections to open, one after the other; 3 unless said otherwise, at least 2. */
  readonly connections?: number | undefined
  /**
   * Calls to make between two listings of one connection, chosen by the operator among tools that are safe to call.
   * None unless given: a probe calls nothing on its own.
   */
  readonly calls?: readonly Key[] | undefined
  readonly signal?: AbortSignal | undefined
}

/** How one list of a server behaved. */
export interface ProbedList {
  readonly list: CatalogueList
  /** The same set of definitions over all connections, before any call. */
  readonly samePerConnection: boolean
  /** The same set before and after the calls; undefined where none was made. */
  readonly sameAfterCalls: boolean | undefined
  /** The same order in every listing that showed the same set; undefined where fewer than two did. */
  readonly stableOrder: boolean | undefined
  /** Definitions that were not the same everywhere, by name, and the members that moved. */
  readonly varying: readonly { readonly key: Key; readonly fields: readonly string[] }[]
}

/** What a probe found. */
export interface ProbeReport {
  readonly connections: number
  readonly calls: number
  readonly lists: readonly ProbedList[]
  readonly sameInstructions: boolean
  /** Whether nothing varied: what the specification requires (2026-07-28, server/tools). */
  readonly steady: boolean
}

interface Listing {
  readonly surface: Surface
  readonly afterCalls: boolean
}

const lists: readonly CatalogueList[] = ['tools', 'prompts', 'templates']

/**
 * Measures whether what a server lists varies per connection or as a side effect of calls, which the specification
 * forbids, and whether it keeps its own order. Every connection is listed twice: before and after the calls.
 */
export async function probeSurface(
  server: string,
  connect: () => Promise<ProbeConnection>,
  options: ProbeOptions = {},
): Promise<ProbeReport> {
  const { connections = 3, calls = [], signal } = options
  const listings: Listing[] = []
  let made = 0
  for (let opened = 0; opened < Math.max(2, connections); opened += 1) {
    signal?.throwIfAborted()
    const connection = await connect()
    try {
      listings.push({ surface: await connection.list(), afterCalls: false })
      for (const key of connection.call ? calls : []) {
        signal?.throwIfAborted()
        await connection.call?.(key)
        made += 1
      }
      listings.push({ surface: await connection.list(), afterCalls: made > 0 })
    } finally {
      await connection.close()
    }
  }
  const probed = lists.map((list) => probeList(server, list, listings, made > 0))
  const sameInstructions = new Set(listings.map(({ surface }) => surface.instructions ?? null)).size === 1
  return {
    connections: Math.max(2, connections),
    calls: made,
    lists: probed,
    sameInstructions,
    steady:
      sameInstructions &&
      probed.every(
        (list) => list.samePerConnection && list.sameAfterCalls !== false && list.stableOrder !== false,
      ),
  }
}

function probeList(
  server: string,
  list: CatalogueList,
  listings: readonly Listing[],
  called: boolean,
): ProbedList {
  const sets = listings.map(({ surface, afterCalls }) => ({ set: setOf(listOf(surface, list)), afterCalls }))
  const before = sets.filter(({ afterCalls }) => !afterCalls).map(({ set }) => set)
  const samePerConnection = new Set(before).size === 1
  const sameAfterCalls = called
    ? new Set(sets.map(({ set }) => set)).size === new Set(before).size
    : undefined
  return {
    list,
    samePerConnection,
    sameAfterCalls,
    stableOrder: stableOrder(list, listings),
    varying: varying(server, list, listings),
  }
}

/** One text for a set of definitions, whatever their order; also where some have no name or canonical form. */
const setOf = (definitions: readonly unknown[]): string =>
  digestSet(definitions) ??
  digestText(
    definitions
      .map((one) => tryDigestDefinition(one) ?? 'none')
      .sort()
      .join('\n'),
  )

function stableOrder(list: CatalogueList, listings: readonly Listing[]): boolean | undefined {
  const orders = new Map<string, Set<string>>()
  const times = new Map<string, number>()
  for (const { surface } of listings) {
    const definitions = listOf(surface, list)
    const set = setOf(definitions)
    const order = JSON.stringify(definitions.map((one) => tryDigestDefinition(one) ?? null))
    orders.set(set, (orders.get(set) ?? new Set()).add(order))
    times.set(set, (times.get(set) ?? 0) + 1)
  }
  const repeated = [...orders].filter(([set]) => (times.get(set) ?? 0) > 1)
  return repeated.length === 0 ? undefined : repeated.every(([, seen]) => seen.size === 1)
}

function varying(server: string, list: CatalogueList, listings: readonly Listing[]): ProbedList['varying'] {
  const shown = new Map<string, (Readonly<Record<string, unknown>> | undefined)[]>()
  for (const [index, { surface }] of listings.entries()) {
    for (const definition of listOf(surface, list)) {
      const name = ownName(definition, list)
      if (name === undefined || !isObject(definition)) continue
      const seen = shown.get(name) ?? listings.map(() => undefined)
      seen[index] = definition
      shown.set(name, seen)
    }
  }
  return [...shown].flatMap(([name, seen]) => {
    const digests = new Set(
      seen.map((definition) => (definition ? tryDigestDefinition(definition) : 'absent')),
    )
    if (digests.size === 1) return []
    return [
      {
        key: { server, kind: kindOf[list], name },
        fields: movingFields(seen.filter((one) => one !== undefined)),
      },
    ]
  })
}

function movingFields(seen: readonly Readonly<Record<string, unknown>>[]): string[] {
  const fields = [...new Set(seen.flatMap((definition) => Object.keys(definition)))].sort()
  return fields.filter((field) => {
    const texts = new Set(
      seen.map((one) => (Object.hasOwn(one, field) ? safeCanonical(one[field]) : 'absent')),
    )
    return texts.size > 1
  })
}

const safeCanonical = (value: unknown): string => {
  try {
    return canonicalJson(value)
  } catch {
    return 'none'
  }
}
