import { createGate } from '@truename/call-gate'
import { fileApprovals } from '@truename/call-gate/file'
import type { DecisionLog } from '@truename/decision-log'
import { createCatalogue } from './catalogue.ts'
import { clientInfo, createConnect } from './client.ts'
import { createGateway, type Gateway, gatewayCapabilities } from './gateway.ts'
import { openPolicy } from './open-policy.ts'
import {
  createUpstreamPool,
  type PoolMember,
  type UpstreamPool,
  type VerifiedUpstream,
} from './upstream-pool.ts'
import { createUriRoutes } from './uri-routes.ts'
import { changedModes, lockMissing } from './verify-command.ts'
import { endpointOf, entryOf, machineOf, settingsOf, type Workspace } from './workspace.ts'

/** A gateway with what has to be ended after it. */
export interface OpenGateway {
  readonly gateway: Gateway
  readonly pool: UpstreamPool
  readonly capabilities: ReturnType<typeof gatewayCapabilities>
  readonly instructions: string | undefined
  /** Servers that are served. */
  readonly serverIds: readonly string[]
  readonly toolCount: number
  close(): Promise<void>
}

/** Says what happens, for the operator. */
export type OnEvent = (level: 'info' | 'warn' | 'error', server: string, message: string) => void

/** Lists vary unannounced: the surface is compared again after this long. */
const verifyEverySeconds = 300

/**
 * Composes the gateway of a workspace from its lock, policy, approvals and log. Starts no server.
 *
 * @throws CommandError where there is no lock or the policy cannot be used
 */
export function openGateway(
  workspace: Workspace,
  log: DecisionLog | undefined,
  onEvent: OnEvent,
): OpenGateway {
  const { config, settings, lock } = workspace
  if (!lock) throw lockMissing(settings.lockFile)
  // Sorted, so that what is served does not depend on the order of the configuration.
  const configured = [...config.servers].sort((a, b) => (a.id < b.id ? -1 : 1))
  const members = configured.flatMap((server): PoolMember[] => {
    const locked = entryOf(workspace, server.id)
    if (!locked) {
      onEvent(
        'warn',
        server.id,
        'Configured but not in the lock, so nothing of it is served; run "truename lock"',
      )
      return []
    }
    const endpointApproved = endpointOf(workspace, server).fingerprint === locked.endpoint.fingerprint
    if (!endpointApproved)
      onEvent(
        'error',
        server.id,
        'Its entry in the configuration is not the one that was approved; its calls are refused until "truename lock"',
      )
    for (const mode of changedModes(locked.modes, settingsOf(workspace, server.id)))
      onEvent(
        'warn',
        server.id,
        `"${mode}" is not what it was when the lock was made, and has no effect until "truename lock"`,
      )
    const every = settingsOf(workspace, server.id).verifyEverySeconds ?? verifyEverySeconds
    return [
      {
        server,
        locked,
        machine: machineOf(workspace, server),
        endpointApproved,
        verifyEveryMs: every * 1000,
      },
    ]
  })
  const servers = members.map(({ locked }) => locked)
  const policy = openPolicy(workspace)
  const approvals = fileApprovals(settings.approvalsFile)
  const gate = createGate({ policy, approvals })
  const catalogue = createCatalogue(members, settings.limits.nameLength)
  const pool = createUpstreamPool({
    members,
    connect: createConnect(settings.erasFile, { afresh: false }),
    client: clientInfo,
    startTimeoutMs: settings.limits.startTimeoutMs,
    listTimeoutMs: settings.limits.listTimeoutMs,
    onEvent,
    onVerified: (member, verified) => reportHeld(member, verified, log, onEvent),
  })
  const gateway = createGateway({
    catalogue,
    servers,
    pool,
    routes: createUriRoutes(servers),
    gate,
    log,
    callTimeoutMs: settings.limits.callTimeoutMs,
    listTimeoutMs: settings.limits.listTimeoutMs,
    onEvent,
  })
  return {
    gateway,
    pool,
    capabilities: gatewayCapabilities(servers),
    instructions: catalogue.instructions,
    serverIds: servers.map(({ id }) => id),
    toolCount: catalogue.tools.length,
    async close() {
      await pool.close()
      await approvals.close()
    },
  }
}

/** A comparison that finds something is told to the operator and recorded: pair, field and digests. */
function reportHeld(
  { server }: PoolMember,
  { verification, upstream }: VerifiedUpstream,
  log: DecisionLog | undefined,
  onEvent: OnEvent,
): void {
  if (verification.drift.length === 0) return
  const held = new Set(verification.held.map((key) => JSON.stringify(key)))
  const moved = verification.drift.filter(({ key }) => key && held.has(JSON.stringify(key)))
  const tools = verification.held.filter(({ kind }) => kind === 'tool').length
  if (held.size > 0) {
    const what = tools === held.size ? `${tools} tool${tools === 1 ? '' : 's'}` : `${held.size} definitions`
    const list = moved
      .map(({ key, field, change }) => `${key?.server}/${key?.name} ${field ?? change}`)
      .join(', ')
    onEvent('warn', server.id, `${what} held: ${list}`)
  }
  void log
    ?.append({
      type: 'drift',
      server: server.id,
      connection: { generation: upstream.generation },
      authorizationChanged: false,
      held: verification.drift.flatMap(({ key, change, field, severity, before, after }) =>
        key ? [{ key, change, field, severity, approved: before, live: after }] : [],
      ),
    })
    .catch((error: unknown) =>
      onEvent('error', server.id, `A comparison could not be recorded: ${(error as Error).message}`),
    )
}
