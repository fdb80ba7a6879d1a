import { fromUtf8 } from './bytes.ts'
import { DecisionLogError } from './errors.ts'
import { treeStarted } from './ids.ts'
import { parseLine } from './line.ts'
import type { Key, LogRecord, OutcomeClass, RecordType, Verdict } from './record.ts'
import type { LogStore } from './store.ts'

/** Which records are wanted; all conditions must hold. An empty filter means every record. */
export interface Filter {
  readonly type?: RecordType | readonly RecordType[] | undefined
  /** RFC 3339 or milliseconds; the records of this very moment included. */
  readonly since?: string | number | undefined
  /** RFC 3339 or milliseconds; the records of this very moment left out. */
  readonly until?: string | number | undefined
  readonly key?: Key | undefined
  readonly server?: string | undefined
  readonly kind?: Key['kind'] | undefined
  /** The upstream's own name, compared exactly. */
  readonly name?: string | undefined
  readonly verdict?: Verdict | undefined
  readonly outcome?: OutcomeClass | undefined
  /** The 32 hexadecimal digits of a W3C trace id. */
  readonly traceId?: string | undefined
  readonly call?: string | undefined
  readonly id?: string | undefined
  readonly tree?: string | undefined
  /** The caller's profile. */
  readonly profile?: string | undefined
  /** `oldest` first, which is the default, or `newest`. */
  readonly order?: 'oldest' | 'newest' | undefined
  readonly limit?: number | undefined
  /** Go on behind this record, in the direction of `order`. */
  readonly after?: Position | undefined
}

/** The place of a record in the one order of all records: by time, then tree, then index. */
export interface Position {
  readonly time: string
  readonly tree: string
  readonly index: number
}

export function comparePositions(a: Position, b: Position): number {
  if (a.time !== b.time) return a.time < b.time ? -1 : 1
  if (a.tree !== b.tree) return a.tree < b.tree ? -1 : 1
  return a.index - b.index
}

/** The trace id of a `traceparent`, in lower case. */
export const traceIdOf = (traceparent: unknown): string | undefined =>
  typeof traceparent === 'string'
    ? /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/i.exec(traceparent)?.[1]?.toLowerCase()
    : undefined

/** A bound of time as the records have it. */
export function timeText(bound: string | number | undefined): string | undefined {
  if (bound === undefined) return undefined
  const time = new Date(bound)
  if (Number.isNaN(time.getTime()))
    throw new DecisionLogError('bad-option', `Not a time (RFC 3339 or milliseconds): ${String(bound)}.`, {
      bound,
    })
  return time.toISOString()
}

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined

/** The keys a record is about: its own, and those that a drift holds. Whatever a tampered line has in their place. */
function keysOf(record: LogRecord): readonly unknown[] {
  const held = record.type === 'drift' ? member(record, 'held') : undefined
  const own = member(record, 'key')
  return [
    ...(own === undefined ? [] : [own]),
    ...(Array.isArray(held) ? held.map((item: unknown) => member(item, 'key')) : []),
  ]
}

/** Turns a filter into a test of one record. */
export function createMatcher(filter: Filter): (record: LogRecord) => boolean {
  const since = timeText(filter.since)
  const until = timeText(filter.until)
  const traceId = filter.traceId?.toLowerCase()
  const types: readonly string[] | undefined = filter.type === undefined ? undefined : [filter.type].flat()
  const server = filter.key?.server ?? filter.server
  const kind = filter.key?.kind ?? filter.kind
  const name = filter.key?.name ?? filter.name
  const direction = filter.order === 'newest' ? -1 : 1
  const exact = (['tree', 'id', 'call', 'verdict', 'outcome'] as const).flatMap((field) => {
    const wanted = filter[field]
    return wanted === undefined ? [] : [[field, wanted] as const]
  })
  const fits = (key: unknown): boolean =>
    (server === undefined || member(key, 'server') === server) &&
    (kind === undefined || member(key, 'kind') === kind) &&
    (name === undefined || member(key, 'name') === name)

  return (record) => {
    if (types && !types.includes(record.type)) return false
    if (since !== undefined && record.time < since) return false
    if (until !== undefined && record.time >= until) return false
    if (exact.some(([field, wanted]) => member(record, field) !== wanted)) return false
    if (filter.profile !== undefined && member(member(record, 'caller'), 'profile') !== filter.profile)
      return false
    if (traceId !== undefined && traceIdOf(record.traceparent) !== traceId) return false
    if (server !== undefined || kind !== undefined || name !== undefined) {
      // A record about a server as a whole has no key.
      const whole = kind === undefined && name === undefined && member(record, 'server') === server
      if (!whole && !keysOf(record).some(fits)) return false
    }
    return filter.after === undefined || comparePositions(record, filter.after) * direction > 0
  }
}

/**
 * Texts that the line of every record holds which a filter lets through: looking for them costs less than reading
 * JSON. Only ASCII stands in a line as it is for sure.
 */
function textsOf(filter: Filter): readonly string[] {
  const wanted: readonly (readonly [string, string | undefined])[] = [
    ['id', filter.id],
    ['call', filter.call],
    ['verdict', filter.verdict],
    ['outcome', filter.outcome],
    ['profile', filter.profile],
    ['server', filter.key?.server ?? filter.server],
    ['kind', filter.key?.kind ?? filter.kind],
    ['name', filter.key?.name ?? filter.name],
  ]
  return wanted.flatMap(([field, value]) =>
    value !== undefined && /^[\x20-\x7e]*$/.test(value)
      ? [`${JSON.stringify(field)}:${JSON.stringify(value)}`]
      : [],
  )
}

async function* records(
  store: LogStore,
  tree: string,
  texts: readonly string[],
): AsyncGenerator<LogRecord, void> {
  for await (const batch of store.read(tree)) {
    for (const bytes of batch.lines) {
      const text = fromUtf8(bytes)
      if (text === undefined || !texts.every((each) => text.includes(each))) continue
      const record = parseLine(text)
      if (record) yield record
    }
  }
}

interface Head {
  readonly record: LogRecord
  readonly rest: AsyncGenerator<LogRecord, void>
}

/**
 * All records of all trees in the one order, oldest first; those whose lines lack one of `texts` are passed over. A
 * tree is opened when its time has come.
 */
export async function* mergeTrees(
  store: LogStore,
  names: readonly string[],
  texts: readonly string[] = [],
): AsyncGenerator<LogRecord, void> {
  const waiting = [...names].sort()
  const heads: Head[] = []
  const insert = (head: Head): void => {
    let at = heads.length
    while (at > 0 && comparePositions((heads[at - 1] as Head).record, head.record) < 0) at -= 1
    heads.splice(at, 0, head)
  }
  const open = async (tree: string): Promise<void> => {
    const rest = records(store, tree, texts)
    const first = await rest.next()
    if (!first.done) insert({ record: first.value, rest })
  }
  let current: Head | undefined
  try {
    while (waiting.length > 0 || heads.length > 0) {
      const next = heads.at(-1)
      const tree = waiting[0]
      const due = next === undefined || (treeStarted(tree ?? '') ?? 0) <= Date.parse(next.record.time)
      if (tree !== undefined && due) {
        waiting.shift()
        await open(tree)
        continue
      }
      current = heads.pop()
      if (!current) break
      yield current.record
      const following = await current.rest.next()
      if (!following.done) insert({ record: following.value, rest: current.rest })
      current = undefined
    }
  } finally {
    for (const head of current ? [current, ...heads] : heads) await head.rest.return()
  }
}

/**
 * Searches all trees of a store. The order is the same for every store: by time, then by tree, then by index;
 * within a tree it is the order of writing, because time never runs backwards there.
 */
export async function* queryStore(store: LogStore, filter: Filter = {}): AsyncGenerator<LogRecord, void> {
  if (store.query) {
    yield* store.query(filter)
    return
  }
  const matches = createMatcher(filter)
  const limit = filter.limit ?? Number.POSITIVE_INFINITY
  const until = filter.until === undefined ? Number.POSITIVE_INFINITY : new Date(filter.until).getTime()
  const names = (await store.trees()).filter(
    (tree) => (filter.tree === undefined || filter.tree === tree) && (treeStarted(tree) ?? 0) < until,
  )
  const untilText = timeText(filter.until)
  const latest: LogRecord[] = []
  let found = 0
  if (limit <= 0) return
  for await (const record of mergeTrees(store, names, textsOf(filter))) {
    if (untilText !== undefined && record.time >= untilText) break
    if (!matches(record)) continue
    if (filter.order === 'newest') {
      latest.push(record)
      if (latest.length > limit) latest.shift()
      continue
    }
    yield record
    found += 1
    if (found >= limit) return
  }
  while (latest.length > 0) yield latest.pop() as LogRecord
}
