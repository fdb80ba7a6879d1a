import { constants, unwatchFile, watchFile } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import type { ApprovalStore } from './approval-store.ts'
import { withFileLock } from './file-lock.ts'
import { type Change, emptyState, grantsIn, operations, pendingIn, type StoreState } from './store-state.ts'

/** The file with approvals is not what this version reads. It is left as it is. */
export class ApprovalFileError extends Error {
  readonly code = 'invalid-approval-file'
  readonly file: string

  constructor(file: string, reason: string) {
    super(`${file}: ${reason}; move it away to start anew, which asks people again`)
    this.name = 'ApprovalFileError'
    this.file = file
  }
}

/** What the file says that was written, as text. Must give the same for the same text, and nobody else may know how. */
export type ApprovalSeal = (content: string) => Promise<string>

/** How changes by other processes are noticed, and that the file is theirs. */
export interface FileStoreOptions {
  /** Milliseconds between looks while somebody listens; usual: 200. */
  readonly pollEvery?: number | undefined
  /** Seals what is written; a file that does not bear the seal of its content was not written here and is refused. */
  readonly seal?: ApprovalSeal | undefined
}

const key = z.looseObject({
  server: z.string(),
  kind: z.enum(['tool', 'prompt', 'resource']),
  name: z.string(),
})
const binding = z.looseObject({
  key,
  pin: z.string().optional(),
  args: z.string(),
  profile: z.string(),
  endpoint: z.string().optional(),
})
const pin = z.discriminatedUnion('state', [
  z.looseObject({ state: z.literal('approved'), digest: z.string() }),
  z.looseObject({ state: z.literal('held'), field: z.string(), reason: z.string() }),
  z.looseObject({ state: z.literal('unknown') }),
  z.looseObject({ state: z.literal('live'), digest: z.string().optional() }),
])
const answer = z.looseObject({
  verdict: z.enum(['allow', 'deny']),
  scope: z.enum(['call', 'arguments', 'pair', 'always']),
  channel: z.enum(['terminal', 'console', 'elicitation', 'file']),
  who: z.string(),
  at: z.number(),
  note: z.string().optional(),
})
const document = z.looseObject({
  version: z.literal(1),
  requests: z.array(
    z.looseObject({
      id: z.string(),
      binding,
      args: z.unknown(),
      pin,
      rule: z.string(),
      reason: z.string(),
      openedAt: z.number(),
      expiresAt: z.number(),
      answer: answer.optional(),
    }),
  ),
  grants: z.array(
    z.looseObject({
      id: z.string(),
      requestId: z.string(),
      binding,
      answer,
      expiresAt: z.number().optional(),
    }),
  ),
})

type Stored = StoreState & Readonly<Record<string, unknown>>

/** Opening a pipe would wait for whoever writes to it. */
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

async function readWhole(file: string): Promise<string> {
  const handle = await open(file, flags)
  try {
    if (!(await handle.stat()).isFile()) throw new ApprovalFileError(file, 'not a file')
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}

async function load(file: string, seal: ApprovalSeal | undefined): Promise<Stored> {
  let text: string
  try {
    text = await readWhole(file)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { ...emptyState }
    throw error
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new ApprovalFileError(file, `not JSON (${(error as Error).message})`)
  }
  const read = document.safeParse(value)
  if (!read.success) throw new ApprovalFileError(file, z.prettifyError(read.error).replaceAll('\n', ' '))
  const { seal: given, ...content } = value as Readonly<Record<string, unknown>>
  if (seal && given !== (await seal(JSON.stringify(content))))
    throw new ApprovalFileError(file, 'written at another place, by another user, or by something else')
  return read.data
}

async function save(file: string, state: Stored, seal: ApprovalSeal | undefined): Promise<void> {
  const { seal: _before, ...content } = { version: 1, ...state } as Readonly<Record<string, unknown>>
  const sealed = seal ? { ...content, seal: await seal(JSON.stringify(content)) } : content
  const scratch = `${file}.tmp`
  // One that a process left when it died; never written into, since that process may only be asleep.
  await rm(scratch, { force: true })
  try {
    const handle = await open(scratch, 'wx', 0o600)
    try {
      await handle.writeFile(`${JSON.stringify(sealed, undefined, 1)}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(scratch, file)
  } catch (error) {
    await rm(scratch, { force: true }).catch(() => {})
    throw error
  }
}

/**
 * A store in one file that several processes share. Each change is made under a lock file beside it and replaces the
 * file whole; readers need no lock. Arguments stand in it in clear, so only its owner can read it.
 */
export function createFileStore(
  file: string,
  { pollEvery = 200, seal }: FileStoreOptions = {},
): ApprovalStore {
  const listeners = new Set<() => void>()
  const notice = (): void => {
    for (const listener of listeners) listener()
  }
  let queue: Promise<unknown> = Promise.resolve()

  const change = <T>(operation: (state: StoreState) => Change<T>): Promise<T> => {
    const attempt = (): Promise<{ readonly result: T; readonly changed: boolean } | undefined> =>
      withFileLock(`${file}.lock`, async (stillHeld) => {
        const stored = await load(file, seal)
        const next = operation(stored)
        if (next.state === stored) return { result: next.result, changed: false }
        // A process that was stopped for longer than a lock lasts has lost it, and starts over.
        if (!(await stillHeld())) return undefined
        await save(file, { ...stored, ...next.state }, seal)
        return { result: next.result, changed: true }
      })
    const run = async (): Promise<T> => {
      await mkdir(dirname(file), { recursive: true })
      let done = await attempt()
      while (!done) done = await attempt()
      if (done.changed) notice()
      return done.result
    }
    const done = queue.then(run, run)
    queue = done.catch(() => {})
    return done
  }

  const stopWatching = (): void => unwatchFile(file, notice)

  return {
    open: (request, now) => change((state) => operations.open(state, request, now)),
    get: async (id) => (await load(file, seal)).requests.find((request) => request.id === id),
    pending: async (now) => pendingIn(await load(file, seal), now),
    answer: (id, grant) => change((state) => operations.answer(state, id, grant)),
    expire: (id, now) => change((state) => operations.expire(state, id, now)),
    grants: async (wanted, now) => grantsIn(await load(file, seal), wanted, now),
    consume: (grantId, now) => change((state) => operations.consume(state, grantId, now)),
    revoke: (filter, now) => change((state) => operations.revoke(state, filter, now)),
    subscribe(listener) {
      if (listeners.size === 0) watchFile(file, { persistent: false, interval: pollEvery }, notice)
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) stopWatching()
      }
    },
    async close() {
      listeners.clear()
      stopWatching()
      await queue
    },
  }
}
