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

/**
 * Runs the action on a connection of its own, which is not used again where it broke. A connection that is cut reports
 * an error whether it is asked something or not, and while it is out of its pool nobody else would hear it: it would end
 * the process.
 */
async function onConnection<T>(
  pool: PgPool,
  action: (client: PgClient, broke: () => void) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  let broken = false
  const broke = (): void => {
    broken = true
  }
  client.on('error', broke)
  try {
    return await action(client, broke)
  } finally {
    client.removeListener('error', broke)
    client.release(broken)
  }
}

/** Runs the action in a transaction on one connection. */
export const inTransaction = <T>(pool: PgPool, action: (client: PgClient) => Promise<T>): Promise<T> =>
  onConnection(pool, async (client, broke) => {
    try {
      await client.query('BEGIN')
      const result = await action(client)
      await client.query('COMMIT')
      return result
    } catch (error) {
      await client.query('ROLLBACK').catch(broke)
      throw error
    }
  })

/** Runs one statement on a connection of its own. */
export const queryOnce = (pool: PgPool, text: string, values: unknown[]): Promise<readonly unknown[]> =>
  onConnection(pool, async (client, broke) => {
    try {
      return (await client.query(text, values)).rows
    } catch (error) {
      broke()
      throw error
    }
  })
