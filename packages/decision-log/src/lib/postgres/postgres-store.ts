import { lineBytes, parseLine } from '../line.ts'
import { nodeSha256 } from '../node-sha256.ts'
import type { LineBatch, LogStore, TreeWriter } from '../store.ts'
import { checkSchemaName, migrate, type Pool, type Row } from './database.ts'
import { labelColumns, labelsOf } from './labels.ts'
import { search } from './search.ts'

export interface PostgresStoreOptions {
  /** Default `truename`. */
  readonly schema?: string | undefined
  /** Whether tables are made and brought up to date at the first use. Default true. */
  readonly migrate?: boolean | undefined
}

/** A log in a database, which tells when something was added. */
export interface PostgresStore extends LogStore {
  /**
   * Calls back whenever any writer has added something, until the returned function is called. Takes a connection
   * of the pool for as long. `failed` is called when that connection is lost: listen again, and read what was missed.
   */
  listen(added: () => void, failed?: (error: Error) => void): Promise<() => void>
}

const readPage = 2000
const channelOf = (schema: string): string => `${schema}_log`

/** Errors that the server answered with: the statement did nothing. Others may have happened behind a commit. */
const wasRolledBack = (error: unknown): boolean => {
  const code = (error as { code?: unknown }).code
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^(?:08|57P)/.test(code)
}

/** Rows whose positions follow each other, together. */
function contiguous(rows: readonly Row[]): readonly (readonly Row[])[] {
  const runs: Row[][] = []
  for (const row of rows) {
    const run = runs.at(-1)
    if (run && Number(run.at(-1)?.position) + 1 === Number(row.position)) run.push(row)
    else runs.push([row])
  }
  return runs
}

/** The column of a row that says something else than its record. */
function mislabelled(row: Row): readonly { readonly line: number; readonly column: string }[] {
  const record = parseLine(String(row.line))
  if (!record) return []
  const labels = labelsOf(record)
  const time = row.time instanceof Date ? row.time.toISOString() : String(row.time)
  const column =
    record.index !== Number(row.position)
      ? 'position'
      : record.time !== time
        ? 'time'
        : labelColumns.find((name) => row[name] !== labels[name])
  return column ? [{ line: Number(row.position) + 1, column }] : []
}

/**
 * A log in PostgreSQL. Each writer has a tree of its own; the tables refuse changes, and `verify` finds those that
 * were made all the same. Acknowledged means committed: what a commit promises is the server's
 * `synchronous_commit`. The pool stays the caller's: `close` does not end it.
 */
export function postgresStore(pool: Pool, options: PostgresStoreOptions = {}): PostgresStore {
  const schema = checkSchemaName(options.schema ?? 'truename')
  const channel = channelOf(schema)
  let made: Promise<void> | undefined
  const ready = (): Promise<void> => {
    if (options.migrate === false) return Promise.resolve()
    made ??= migrate(pool, schema).catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
  const table = (name: string): string => `${schema}.log_${name}`

  const columns = ['position', '"time"', ...labelColumns, 'line']
  const insert = `
    WITH added AS (
      INSERT INTO ${table('records')} (tree, ${columns.join(', ')})
      SELECT $1, ${columns.map((_, at) => `rows.c${at}`).join(', ')}
      FROM unnest($2::bigint[], $3::timestamptz[], ${labelColumns.map((_, at) => `$${at + 4}::text[]`).join(', ')}, $${labelColumns.length + 4}::text[])
        AS rows (${columns.map((_, at) => `c${at}`).join(', ')})
    )
    SELECT pg_notify('${channel}', '')`

  const writer = (tree: string): TreeWriter => ({
    async append(bytes, firstIndex) {
      const lines = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length - 1)
        .toString('utf8')
        .split('\n')
      const records = lines.map((line) => {
        const record = parseLine(line)
        if (!record) throw new TypeError('Not a line of a log.')
        return { time: record.time, labels: labelsOf(record) }
      })
      try {
        await pool.query(insert, [
          tree,
          lines.map((_, at) => firstIndex + at),
          records.map(({ time }) => time),
          ...labelColumns.map((column) => records.map(({ labels }) => labels[column])),
          lines,
        ])
      } catch (error) {
        throw wasRolledBack(error) ? Object.assign(error as Error, { clean: true }) : error
      }
    },
    sync() {},
    async checkpoint(note) {
      const size = note.split('\n')[1]
      await pool.query(`INSERT INTO ${table('checkpoints')} (tree, size, note) VALUES ($1, $2, $3)`, [
        tree,
        size,
        note,
      ])
    },
    async close() {},
  })

  return {
    sha256: nodeSha256,
    async openTree(tree) {
      await ready()
      await pool.query(`INSERT INTO ${table('trees')} (tree) VALUES ($1)`, [tree])
      return writer(tree)
    },
    async trees() {
      await ready()
      const { rows } = await pool.query(`SELECT tree FROM ${table('trees')} ORDER BY tree`)
      return rows.map(({ tree }) => String(tree))
    },
    async *read(tree): AsyncGenerator<LineBatch, void> {
      await ready()
      let next = 0
      for (;;) {
        const { rows } = await pool.query(
          `SELECT position, "time", ${labelColumns.join(', ')}, line FROM ${table('records')}
           WHERE tree = $1 AND position >= $2 ORDER BY position LIMIT ${readPage}`,
          [tree, next],
        )
        for (const run of contiguous(rows)) {
          const first = Number(run[0]?.position)
          yield {
            segment: table('records'),
            firstLine: first + 1,
            lines: run.map(({ line }) => lineBytes(String(line))),
            mislabelled: run.flatMap(mislabelled),
          }
          next = first + run.length
        }
        if (rows.length < readPage) return
      }
    },
    async checkpoints(tree) {
      await ready()
      const { rows } = await pool.query(
        `SELECT note FROM ${table('checkpoints')} WHERE tree = $1 ORDER BY size`,
        [tree],
      )
      return rows.map(({ note }) => String(note))
    },
    async *query(filter) {
      await ready()
      yield* search(pool, schema, filter)
    },
    async listen(added, failed) {
      await ready()
      const client = await pool.connect()
      let over = false
      const heard = (message: { channel: string }): void => {
        if (message.channel === channel) added()
      }
      const end = (error?: Error): void => {
        if (over) return
        over = true
        client.removeListener('notification', heard)
        client.removeListener('error', lost)
        // The connection listens still: it must not go back to the pool.
        client.release(error ?? true)
      }
      const lost = (error: Error): void => {
        end(error)
        failed?.(error)
      }
      client.on('notification', heard)
      client.on('error', lost)
      try {
        await client.query(`LISTEN ${channel}`)
      } catch (error) {
        end(error instanceof Error ? error : new Error(String(error)))
        throw error
      }
      return () => end()
    },
    async close() {},
  }
}
