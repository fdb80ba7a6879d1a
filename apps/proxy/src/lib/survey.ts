import type { ServerConfig } from '@truename/mcp-link'
import {
  emptyLock,
  findSubstitutions,
  type LockedServer,
  lockServer,
  type NotLocked,
  type ScanFinding,
  type SubstitutionFinding,
  type Surface,
  scanSurface,
  toSubstitutions,
} from '@truename/tool-registry'
import { type Connect, clientCapabilities, clientInfo, createConnect } from './client.ts'
import { readLiveSurface } from './live-surface.ts'
import { keysOf } from './open-policy.ts'
import { endpointOf, machineOf, profileOf, settingsOf, type Workspace } from './workspace.ts'

/** A server that was reached, and what it showed. */
export interface SurveyedServer {
  readonly id: string
  readonly surface: Surface
  /** The entry the lock would hold. */
  readonly entry: LockedServer
  readonly notLocked: readonly NotLocked[]
  readonly findings: readonly ScanFinding[]
  readonly substitutions: readonly SubstitutionFinding[]
  readonly problems: readonly string[]
}

/** A server that could not be reached or listed. */
export interface FailedServer {
  readonly id: string
  readonly message: string
  readonly stderr: readonly string[]
}

/** What all configured servers showed. */
export interface Survey {
  readonly servers: readonly SurveyedServer[]
  readonly failed: readonly FailedServer[]
}

/**
 * Connects to every configured server, two at a time, and lists everything it shows. Each is asked afresh what era it
 * speaks.
 */
export async function surveyServers(workspace: Workspace): Promise<Survey> {
  const connect = createConnect(workspace.settings.erasFile, { afresh: true })
  const queue = [...workspace.config.servers]
  const results = new Map<string, SurveyedServer | FailedServer>()
  const worker = async (): Promise<void> => {
    for (let server = queue.shift(); server !== undefined; server = queue.shift()) {
      results.set(server.id, await surveyServer(workspace, server, connect))
    }
  }
  await Promise.all([worker(), worker()])
  const all = workspace.config.servers.map(({ id }) => results.get(id) as SurveyedServer | FailedServer)
  const servers = all.filter((result): result is SurveyedServer => 'surface' in result)
  return {
    servers: servers.map((server) => ({ ...server, findings: scanBeside(server, servers) })),
    failed: all.filter((result): result is FailedServer => !('surface' in result)),
  }
}

/** The scan of one server, with the names of the others, so that look-alikes are found. */
function scanBeside(server: SurveyedServer, all: readonly SurveyedServer[]): readonly ScanFinding[] {
  const others = all.filter(({ id }) => id !== server.id).map(({ entry }) => entry)
  return scanSurface(server.surface, { server: server.id, others: keysOf({ ...emptyLock, servers: others }) })
}

async function surveyServer(
  workspace: Workspace,
  server: ServerConfig,
  connect: Connect,
): Promise<SurveyedServer | FailedServer> {
  const { limits } = workspace.settings
  const connected = await connect(server, {
    client: clientInfo,
    capabilities: clientCapabilities,
    isolation: 'shared',
    signal: AbortSignal.timeout(limits.startTimeoutMs),
  })
  if (!connected.ok) {
    return { id: server.id, message: connected.failure.message, stderr: connected.failure.stderr }
  }
  const { upstream } = connected
  try {
    const live = await readLiveSurface(upstream, AbortSignal.timeout(limits.listTimeoutMs))
    if (!live.complete) {
      const message = `Server "${server.id}" could not list everything it declares: ${live.problems.join('; ')}`
      return { id: server.id, message, stderr: upstream.stderr() }
    }
    const machine = machineOf(workspace, server)
    const substitutions = findSubstitutions(live.surface, machine)
    const { uris, resources } = settingsOf(workspace, server.id)
    const { server: entry, notLocked } = lockServer({
      id: server.id,
      endpoint: endpointOf(workspace, server),
      surface: live.surface,
      clientCapabilities,
      profile: profileOf(workspace, server.id),
      modes: { ...(uris && { uris }), ...(resources && { resources }) },
      substitutions: toSubstitutions(substitutions),
      machine,
    })
    return {
      id: server.id,
      surface: live.surface,
      entry,
      notLocked,
      findings: [],
      substitutions,
      problems: live.problems,
    }
  } finally {
    await upstream.close()
  }
}
