/** The part of a `pg` client that is used. */
export interface PgClient {
  query(
    text: string,
    values?: unknown[],
  ): Promise<{ readonly rows: readonly unknown[]; readonly rowCount: number | null }>
  on(event: 'notification' | 'error', listener: () => void): unknown
  removeListener(event: 'notification' | 'error', listener: () => void): unknown
  /** With `true` the connection is closed instead of being used again. */
  release(destroy?: boolean): void
}

/** The part of a `pg` pool that is used; a `Pool` of `pg` 8 is one. */
export interface PgPool {
  connect(): Promise<PgClient>
}

/** Runs the action in a transaction on one connection. */
export async function inTransaction<T>(pool: PgPool, action: (client: PgClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken = false
  try {
    await client.query('BEGIN')
    const result = await action(client)
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {
      broken = true
    })
    throw error
  } finally {
    client.release(broken)
  }
}

/** Runs one statement on a connection of its own. */
export async function queryOnce(pool: PgPool, text: string, values: unknown[]): Promise<readonly unknown[]> {
  const client = await pool.connect()
  let broken = true
  try {
    const { rows } = await client.query(text, values)
    broken = false
    return rows
  } finally {
    client.release(broken)
  }
}
