import type { ServerConfig } from '@truename/mcp-link'
import type { LockedServer } from '@truename/tool-registry'
import type { PoolMember } from './upstream-pool.ts'
import { changedModes } from './verify-command.ts'
import { endpointOf, machineOf, settingsOf, type Workspace } from './workspace.ts'

type Tell = (level: 'info' | 'warn' | 'error', server: string, message: string) => void

/** Lists vary unannounced: the surface is compared again after this long. */
const verifyEverySeconds = 300

/** Tells each thing once, until it no longer holds: files are read again and again, and most of it stays as it was. */
export function createTeller(onEvent: Tell): (notes: readonly Parameters<Tell>[]) => void {
  let known = new Set<string>()
  return (notes) => {
    for (const note of notes) if (!known.has(JSON.stringify(note))) onEvent(...note)
    known = new Set(notes.map((note) => JSON.stringify(note)))
  }
}

/**
 * The servers to serve, by the entries of the lock that are in force. Servers are started by the configuration this
 * process began with, which the log knows the secrets of; one that was changed or taken out since withdraws its server.
 */
export function readMembers(
  began: Workspace,
  now: Workspace,
  approved: (id: string) => LockedServer | undefined,
  tell: (notes: readonly Parameters<Tell>[]) => void,
): readonly PoolMember[] {
  const notes: Parameters<Tell>[] = []
  const written = new Map(now.config.servers.map((server) => [server.id, server]))
  // Sorted, so that what is served does not depend on the order of the configuration.
  const configured = [...began.config.servers].sort((a, b) => (a.id < b.id ? -1 : 1))
  const members = configured.flatMap((server): PoolMember[] => {
    const { id } = server
    const current = written.get(id)
    if (!current) {
      notes.push(['warn', id, 'It was taken out of the configuration, so nothing of it is served'])
      return []
    }
    const locked = approved(id)
    if (!locked) {
      notes.push([
        'warn',
        id,
        'Nothing of it is served, since it is not in the lock that is in force; run "truename lock"',
      ])
      return []
    }
    const endpointProblem = problemOf(locked, { began, now, server, current })
    if (endpointProblem !== undefined) notes.push(['error', id, endpointProblem])
    for (const mode of changedModes(locked.modes, settingsOf(now, id)))
      notes.push([
        'warn',
        id,
        `"${mode}" is not what it was when the lock was made, and has no effect until "truename lock"`,
      ])
    const every = settingsOf(began, id).verifyEverySeconds ?? verifyEverySeconds
    const machine = machineOf(began, server)
    return [{ server, locked, machine, endpointProblem, verifyEveryMs: every * 1000 }]
  })
  const added = now.config.servers.filter(({ id }) => !configured.some((server) => server.id === id))
  for (const { id } of added)
    notes.push(['info', id, 'It was put into the configuration; start truename serve again to serve it'])
  tell(notes)
  return members
}

function problemOf(
  locked: LockedServer,
  {
    began,
    now,
    server,
    current,
  }: { began: Workspace; now: Workspace; server: ServerConfig; current: ServerConfig },
): string | undefined {
  const { fingerprint } = locked.endpoint
  if (endpointOf(now, current).fingerprint !== fingerprint)
    return `The configuration of server "${server.id}" changed after it was approved; its calls are refused until "truename lock", which shows the difference`
  if (endpointOf(began, server).fingerprint !== fingerprint)
    return `The configuration of server "${server.id}" changed after "truename serve" was started; its calls are refused until it is started again`
  return undefined
}
