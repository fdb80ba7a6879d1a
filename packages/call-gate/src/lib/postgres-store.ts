import { keyId } from '@truename/tool-registry/identity'
import type { Answer, ApprovalRequest, Grant } from './approval.ts'
import type { ApprovalStore, GrantFilter } from './approval-store.ts'
import { bindingId } from './binding.ts'
import { type ChangeListener, changesChannel, listenForChanges } from './postgres-listener.ts'
import { migrateApprovals } from './postgres-migrations.ts'
import { inTransaction, type PgClient, type PgPool, queryOnce } from './postgres-pool.ts'
import { isOpen, keepRequests } from './store-state.ts'

/** How changes by other processes are noticed. */
export interface PostgresStoreOptions {
  /** Milliseconds between looks that no notification prompted, while somebody listens; usual: 5,000. */
  readonly pollEvery?: number | undefined
}

interface RequestRow {
  readonly body: string
  readonly expires_at: string
  readonly answer: string | null
}

const requestOf = (row: unknown): ApprovalRequest => {
  const { body, expires_at, answer } = row as RequestRow
  const request = JSON.parse(body) as Omit<ApprovalRequest, 'answer'>
  return {
    ...request,
    expiresAt: Number(expires_at),
    ...(answer === null ? {} : { answer: JSON.parse(answer) as Answer }),
  }
}

const grantOf = (row: unknown): Grant => JSON.parse((row as { readonly body: string }).body) as Grant

/** JSON spells U+0000 as an escape, which a text column can hold. */
const column = (text: string): string => JSON.stringify(text)

const announce = (client: PgClient): Promise<unknown> =>
  client.query('SELECT pg_notify($1, $2)', [changesChannel, ''])

const requestColumns = 'body, expires_at, answer'

async function openRequest(
  client: PgClient,
  request: ApprovalRequest,
  now: number,
): Promise<ApprovalRequest> {
  const binding = bindingId(request.binding)
  await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [binding])
  const open = await client.query(
    `SELECT ${requestColumns} FROM truename_approval_request
     WHERE binding = $1 AND answer IS NULL AND expires_at > $2 ORDER BY place LIMIT 1`,
    [binding, now],
  )
  if (open.rows[0]) return requestOf(open.rows[0])
  await client.query('DELETE FROM truename_approval_request WHERE expires_at <= $1', [now - keepRequests])
  await client.query('DELETE FROM truename_approval_grant WHERE expires_at <= $1', [now])
  await client.query(
    'INSERT INTO truename_approval_request (id, binding, body, expires_at) VALUES ($1, $2, $3, $4)',
    [request.id, binding, JSON.stringify(request), request.expiresAt],
  )
  await announce(client)
  return request
}

async function answerRequest(
  client: PgClient,
  id: string,
  grant: Grant,
): Promise<Awaited<ReturnType<ApprovalStore['answer']>>> {
  const found = await client.query(
    `SELECT ${requestColumns} FROM truename_approval_request WHERE id = $1 FOR UPDATE`,
    [id],
  )
  if (!found.rows[0]) return { state: 'unknown-request' }
  const request = requestOf(found.rows[0])
  if (request.answer) return { state: 'already-answered', request }
  if (!isOpen(request, grant.answer.at)) return { state: 'expired', request }
  await client.query('UPDATE truename_approval_request SET answer = $2 WHERE id = $1', [
    id,
    JSON.stringify(grant.answer),
  ])
  const { key } = grant.binding
  await client.query(
    'INSERT INTO truename_approval_grant (id, server, pair, body, expires_at) VALUES ($1, $2, $3, $4, $5)',
    [grant.id, column(key.server), keyId(key), JSON.stringify(grant), grant.expiresAt ?? null],
  )
  await announce(client)
  return { state: 'stored', request: { ...request, answer: grant.answer } }
}

async function revokeGrants(client: PgClient, filter: GrantFilter, now: number): Promise<readonly Grant[]> {
  const { rows } = await client.query(
    `DELETE FROM truename_approval_grant
     WHERE (expires_at IS NULL OR expires_at > $1)
       AND ($2::text IS NULL OR id = $2) AND ($3::text IS NULL OR server = $3) AND ($4::text IS NULL OR pair = $4)
       AND NOT ($2::text IS NULL AND $3::text IS NULL AND $4::text IS NULL)
     RETURNING place, body`,
    [
      now,
      filter.id ?? null,
      filter.server === undefined ? null : column(filter.server),
      filter.key === undefined ? null : keyId(filter.key),
    ],
  )
  if (rows.length > 0) await announce(client)
  const ordered = (rows as readonly { readonly place: string }[]).toSorted(
    (a, b) => Number(a.place) - Number(b.place),
  )
  return ordered.map(grantOf)
}

/** A store in PostgreSQL that processes on several machines share. It makes and updates its tables on first use. */
export function createPostgresStore(
  pool: PgPool,
  { pollEvery = 5000 }: PostgresStoreOptions = {},
): ApprovalStore {
  const listeners = new Set<() => void>()
  let listening: ChangeListener | undefined
  let migrated: Promise<void> | undefined
  const notice = (): void => {
    for (const listener of listeners) listener()
  }
  const ready = (): Promise<void> => {
    migrated ??= migrateApprovals(pool).catch((error: unknown) => {
      migrated = undefined
      throw error
    })
    return migrated
  }
  const change = async <T>(action: (client: PgClient) => Promise<T>): Promise<T> => {
    await ready()
    const result = await inTransaction(pool, action)
    notice()
    return result
  }
  const select = async (text: string, values: unknown[]): Promise<readonly unknown[]> => {
    await ready()
    return queryOnce(pool, text, values)
  }

  return {
    open: (request, now) => change((client) => openRequest(client, request, now)),
    async get(id) {
      const [row] = await select(`SELECT ${requestColumns} FROM truename_approval_request WHERE id = $1`, [
        id,
      ])
      return row === undefined ? undefined : requestOf(row)
    },
    async pending(now) {
      const rows = await select(
        `SELECT ${requestColumns} FROM truename_approval_request WHERE answer IS NULL AND expires_at > $1 ORDER BY place`,
        [now],
      )
      return rows.map(requestOf)
    },
    answer: (id, grant) => change((client) => answerRequest(client, id, grant)),
    expire: (id, now) =>
      change(async (client) => {
        const ended = await client.query(
          'UPDATE truename_approval_request SET expires_at = $2 WHERE id = $1 AND answer IS NULL AND expires_at > $2',
          [id, now],
        )
        if (ended.rowCount) await announce(client)
      }),
    async grants(key, now) {
      const rows = await select(
        `SELECT body FROM truename_approval_grant
         WHERE (expires_at IS NULL OR expires_at > $1) AND ($2::text IS NULL OR pair = $2) ORDER BY place`,
        [now, key === undefined ? null : keyId(key)],
      )
      return rows.map(grantOf)
    },
    consume: (grantId, now) =>
      change(async (client) => {
        const { rowCount } = await client.query(
          'DELETE FROM truename_approval_grant WHERE id = $1 AND (expires_at IS NULL OR expires_at > $2)',
          [grantId, now],
        )
        if (rowCount) await announce(client)
        return rowCount === 1
      }),
    revoke: (filter, now) => change((client) => revokeGrants(client, filter, now)),
    subscribe(listener) {
      listeners.add(listener)
      listening ??= listenForChanges(pool, notice, pollEvery)
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        void listening?.stop()
        listening = undefined
      }
    },
    async close() {
      listeners.clear()
      const open = listening
      listening = undefined
      await open?.stop()
    },
  }
}
