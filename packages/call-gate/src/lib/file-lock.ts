import { randomUUID } from 'node:crypto'
import { open, readFile, stat, unlink } from 'node:fs/promises'
import { hostname } from 'node:os'

/** The lock could not be had in time: who holds it. */
export class FileLockError extends Error {
  readonly code = 'file-locked'
  readonly file: string

  constructor(file: string, waited: number) {
    super(`${file} is held by another process for ${waited} ms now; remove it if that process is gone`)
    this.name = 'FileLockError'
    this.file = file
  }
}

interface Holder {
  readonly pid: number
  readonly host: string
  readonly token: string
}

/** Longest time a lock is held by a process that runs: operations on a small file. In milliseconds. */
const staleAfter = 30_000
/** The same for a lock that names no holder: it is named at once, unless the process died in between. */
const namelessAfter = 2000

const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code))

async function create(file: string): Promise<string | undefined> {
  const holder: Holder = { pid: process.pid, host: hostname(), token: randomUUID() }
  try {
    const handle = await open(file, 'wx', 0o600)
    try {
      await handle.writeFile(JSON.stringify(holder))
    } finally {
      await handle.close()
    }
    return holder.token
  } catch (error) {
    // EPERM and EACCES: Windows, while the file is being removed.
    if (hasCode(error, 'EEXIST', 'EPERM', 'EACCES')) return undefined
    throw error
  }
}

async function holderOf(file: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Holder
  } catch {
    return undefined
  }
}

const isGone = ({ pid, host }: Holder): boolean => {
  if (host !== hostname()) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return hasCode(error, 'ESRCH')
  }
}

async function isStale(file: string): Promise<string | undefined> {
  try {
    const age = Date.now() - (await stat(file)).mtimeMs
    const holder = await holderOf(file)
    if (age > (holder ? staleAfter : namelessAfter) || (holder && isGone(holder))) return holder?.token ?? ''
  } catch {
    // Released meanwhile.
  }
  return undefined
}

/** Removes a lock whose holder died; one process at a time, and only if it is still the same lock. */
async function breakStale(file: string): Promise<void> {
  const token = await isStale(file)
  if (token === undefined) return
  const guard = `${file}.break`
  if (!(await create(guard))) {
    if ((await isStale(guard)) !== undefined) await unlink(guard).catch(() => {})
    return
  }
  try {
    if (((await holderOf(file))?.token ?? '') === token && (await isStale(file)) !== undefined)
      await unlink(file)
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
  } finally {
    await unlink(guard).catch(() => {})
  }
}

/**
 * Runs the action while holding `file` as a lock between processes. A lock left by a process that died is broken.
 *
 * @param patience milliseconds to wait for it
 * @throws {FileLockError} when it is still held after that
 */
export async function withFileLock<T>(
  file: string,
  action: (stillHeld: () => Promise<boolean>) => Promise<T>,
  patience = 10_000,
): Promise<T> {
  const started = Date.now()
  let token = await create(file)
  for (let attempt = 0; token === undefined; attempt += 1) {
    if (Date.now() - started > patience) throw new FileLockError(file, patience)
    if (attempt % 8 === 7) await breakStale(file)
    await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(4 + 2 * attempt, 50)))
    token = await create(file)
  }
  try {
    return await action(async () => (await holderOf(file))?.token === token)
  } finally {
    if ((await holderOf(file))?.token === token) await unlink(file).catch(() => {})
  }
}
