import type { PgClient, PgPool } from './postgres-pool.ts'

/** The channel on which every change of the approvals is announced. */
export const changesChannel = 'truename_approvals'

/** One connection that listens for changes, opened again when it breaks. */
export interface ChangeListener {
  stop(): Promise<void>
}

/**
 * Calls the listener with each change any process announces, after each new connection too (something may have been
 * missed), and from time to time, for connections that break without a word.
 *
 * @param every milliseconds between unprompted calls
 */
export function listenForChanges(pool: PgPool, listener: () => void, every: number): ChangeListener {
  let stopped = false
  let current: PgClient | undefined
  let retry: ReturnType<typeof setTimeout> | undefined
  let failures = 0

  const again = (): void => {
    if (stopped) return
    failures += 1
    retry = setTimeout(
      () => {
        connecting = connect()
      },
      Math.min(50 * 2 ** failures, 10_000),
    )
  }
  const drop = (client: PgClient): void => {
    if (current !== client) return
    current = undefined
    client.removeListener('notification', listener)
    // The listener for errors stays: a connection that is being closed may still report one.
    client.release(true)
    again()
  }
  async function connect(): Promise<void> {
    let client: PgClient
    try {
      client = await pool.connect()
    } catch {
      // Reported where it matters: the operations of the store fail too. Here it is tried again.
      return again()
    }
    if (stopped) return client.release()
    current = client
    client.on('error', () => drop(client))
    client.on('notification', listener)
    try {
      await client.query(`LISTEN ${changesChannel}`)
      failures = 0
      listener()
    } catch {
      drop(client)
    }
  }
  let connecting = connect()
  const beat = setInterval(() => {
    listener()
    const client = current
    // Finds out whether the connection still answers.
    client?.query('SELECT 1').catch(() => drop(client))
  }, every)

  return {
    async stop() {
      stopped = true
      clearTimeout(retry)
      clearInterval(beat)
      await connecting
      if (current) drop(current)
    },
  }
}
