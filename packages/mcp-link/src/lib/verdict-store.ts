import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Prior } from '@truename/capability-negotiator'
import { isJsonObject } from './message.ts'
import type { ServerConfig } from './server-config.ts'

/** What was found of a server, and when (ISO 8601, UTC). */
export interface RememberedVerdict {
  readonly prior: Prior
  readonly found: string
}

/** Remembers what era each server speaks, so that the next connection need not probe. */
export interface VerdictStore {
  get(server: ServerConfig): RememberedVerdict | undefined
  set(server: ServerConfig, prior: Prior): void
  forget(server: ServerConfig): void
}

/** A verdict holds for one server id and one address: an origin may serve several endpoints of different eras. */
function keyOf(server: ServerConfig): string {
  const address = server.kind === 'http' ? [server.url] : [server.command, ...server.args, server.cwd]
  // Addresses and arguments may hold secrets; the file holds their digest alone.
  return createHash('sha256')
    .update(JSON.stringify([server.id, server.kind, ...address]))
    .digest('base64url')
}

const isPrior = (value: unknown): value is Prior =>
  isJsonObject(value) &&
  (value.era === 'legacy' || value.era === 'modern') &&
  (value.version === undefined || typeof value.version === 'string')

function read(file: string): Map<string, RememberedVerdict> {
  let value: unknown
  try {
    // Reading a pipe would wait for whoever writes to it.
    if (!statSync(file).isFile()) return new Map()
    value = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    // Missing or damaged: everything is asked again, which costs one probe per server.
    return new Map()
  }
  const entries = isJsonObject(value) && isJsonObject(value.verdicts) ? Object.entries(value.verdicts) : []
  return new Map(
    entries.flatMap(([key, entry]): [string, RememberedVerdict][] =>
      isJsonObject(entry) && isPrior(entry.prior) && typeof entry.found === 'string'
        ? [[key, { prior: entry.prior, found: entry.found }]]
        : [],
    ),
  )
}

/**
 * Creates a store of verdicts, in memory, or in a file that is replaced as a whole (2026-07-28, basic/versioning: a
 * verdict may be kept per server configuration). What is older than `maxAgeMs` (default a week) is asked again; of a
 * modern server only era and version are kept, since its capabilities have a lifetime of their own.
 */
export function createVerdictStore({
  file,
  maxAgeMs = 7 * 24 * 3_600_000,
  now = Date.now,
}: {
  readonly file?: string
  readonly maxAgeMs?: number
  readonly now?: () => number
} = {}): VerdictStore {
  let verdicts = file === undefined ? new Map<string, RememberedVerdict>() : read(file)
  const change = (edit: (verdicts: Map<string, RememberedVerdict>) => void): void => {
    // Another process may have written since; its entries are kept.
    if (file !== undefined) verdicts = read(file)
    edit(verdicts)
    if (file === undefined) return
    const scratch = `${file}.${randomUUID()}`
    try {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(
        scratch,
        `${JSON.stringify({ version: 1, verdicts: Object.fromEntries(verdicts) }, null, 2)}\n`,
      )
      renameSync(scratch, file)
    } catch {
      // A cache that cannot be written costs probes, nothing else.
      if (existsSync(scratch)) rmSync(scratch, { force: true })
    }
  }
  return {
    get(server) {
      const found = verdicts.get(keyOf(server))
      return found && now() - Date.parse(found.found) <= maxAgeMs ? found : undefined
    },
    set(server, { era, version }) {
      const prior: Prior = version === undefined ? { era } : { era, version }
      change((all) => all.set(keyOf(server), { prior, found: new Date(now()).toISOString() }))
    },
    forget: (server) => change((all) => all.delete(keyOf(server))),
  }
}
