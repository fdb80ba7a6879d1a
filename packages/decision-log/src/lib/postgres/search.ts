import { parseLine } from '../line.ts'
import { createMatcher, type Filter, timeText } from '../query.ts'
import type { LogRecord } from '../record.ts'
import type { Client } from './database.ts'
import { type LabelColumn, label } from './labels.ts'

const pageSize = 1000

interface Condition {
  readonly sql: string
  readonly values: readonly unknown[]
}

/** What a filter says in SQL: never less than what it lets through; the rest is left to `createMatcher`. */
function conditionsOf(filter: Filter): readonly Condition[] {
  const conditions: Condition[] = []
  const add = (sql: string, ...values: unknown[]): void => {
    conditions.push({ sql, values })
  }
  const equal = (column: LabelColumn, value: string | undefined): void => {
    if (value !== undefined) add(`${column} = ?`, label(value))
  }
  // A drift is about every key that it holds.
  const keyPart = (column: LabelColumn, value: string | undefined): void => {
    if (value !== undefined) add(`(${column} = ? OR type = 'drift')`, label(value))
  }
  keyPart('server', filter.key?.server ?? filter.server)
  keyPart('kind', filter.key?.kind ?? filter.kind)
  keyPart('name', filter.key?.name ?? filter.name)
  equal('call', filter.call)
  equal('id', filter.id)
  equal('verdict', filter.verdict)
  equal('outcome', filter.outcome)
  equal('profile', filter.profile)
  equal('trace_id', filter.traceId?.toLowerCase())
  if (filter.type !== undefined) add('type = ANY(?::text[])', [filter.type].flat())
  if (filter.tree !== undefined) add('tree = ?', filter.tree)
  if (filter.since !== undefined) add('"time" >= ?::timestamptz', timeText(filter.since))
  if (filter.until !== undefined) add('"time" < ?::timestamptz', timeText(filter.until))
  return conditions
}

/** Searches a database, a page at a time. */
export async function* search(
  client: Client,
  schema: string,
  filter: Filter,
): AsyncGenerator<LogRecord, void> {
  const matches = createMatcher(filter)
  const limit = filter.limit ?? Number.POSITIVE_INFINITY
  const newest = filter.order === 'newest'
  const direction = newest ? 'DESC' : 'ASC'
  let after = filter.after
  let found = 0
  if (limit <= 0) return
  for (;;) {
    const place: Condition[] = after
      ? [
          {
            sql: `("time", tree, position) ${newest ? '<' : '>'} (?::timestamptz, ?, ?::bigint)`,
            values: [after.time, after.tree, after.index],
          },
        ]
      : []
    const conditions = [...conditionsOf(filter), ...place]
    let parameter = 0
    const where = conditions.map(({ sql }) =>
      sql.replaceAll('?', () => {
        parameter += 1
        return `$${parameter}`
      }),
    )
    const { rows } = await client.query(
      `SELECT line FROM ${schema}.log_records ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''}
       ORDER BY "time" ${direction}, tree ${direction}, position ${direction} LIMIT ${pageSize}`,
      conditions.flatMap(({ values }) => values),
    )
    for (const row of rows) {
      const record = parseLine(String(row.line))
      if (!record) continue
      after = record
      if (!matches(record)) continue
      yield record
      found += 1
      if (found >= limit) return
    }
    if (rows.length < pageSize) return
  }
}
