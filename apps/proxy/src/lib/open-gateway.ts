import { createGate } from '@truename/call-gate'
import type { DecisionLog } from '@truename/decision-log'
import type { JsonObject, ServerDeclaration } from '@truename/mcp-link'
import { emptyLock, formatLock, type LockedServer, withServer } from '@truename/tool-registry'
import { type Catalogue, createCatalogue } from './catalogue.ts'
import { clientInfo, createConnect } from './client.ts'
import { type ClientSubscriptions, createClientSubscriptions } from './client-subscriptions.ts'
import {
  createGateway,
  type Gateway,
  type GatewayServices,
  gatewayCapabilities,
  gatewayInForce,
  servicesOf,
} from './gateway.ts'
import { serversWithResources } from './list-resources.ts'
import { listTemplates } from './list-templates.ts'
import { narrowEntry } from './narrow-entry.ts'
import { openApprovals } from './open-approvals.ts'
import { openPolicy } from './open-policy.ts'
import { createTeller, readMembers } from './pool-members.ts'
import { createUpstreamPool, type PoolMember, type VerifiedUpstream } from './upstream-pool.ts'
import { createUpstreamWatches } from './upstream-watches.ts'
import { createUriRoutes } from './uri-routes.ts'
import { lockMissing } from './verify-command.ts'
import { entryOf, type Workspace } from './workspace.ts'

/** A gateway with what has to be ended after it. */
export interface OpenGateway {
  readonly gateway: Gateway
  /** Takes what a client wants to be told of. */
  readonly listen: ClientSubscriptions['listen']
  /** What a new client is told. */
  readonly declaration: () => Pick<ServerDeclaration, 'capabilities' | 'instructions'>
  /** Servers that are served. */
  readonly serverIds: readonly string[]
  readonly toolCount: number
  /** Takes the lock, the policy and the entries of servers as they are now; says which lists moved. */
  reload(next: Workspace, confirmed: boolean): Reloaded
  close(): Promise<void>
}

/** What became of files that were read again. */
export interface Reloaded {
  /** Families whose lists clients should ask for again. */
  readonly moved: readonly ('tools' | 'prompts' | 'resources')[]
  /** Whether another lock is in force than before. */
  readonly lockMoved: boolean
  /** Servers of which something in the lock waits for a person. */
  readonly waiting: readonly string[]
  /** Where the policy changed: what it would let through and does not, until the proxy is started again. */
  readonly wider: readonly string[] | undefined
}

/** Says what happens, for the operator. */
export type OnEvent = (level: 'info' | 'warn' | 'error', server: string, message: string) => void

/** What is served of one lock: made whole before anything of it is used. */
interface Served {
  readonly members: readonly PoolMember[]
  readonly gateway: Gateway
  readonly services: GatewayServices
  readonly catalogue: Catalogue
  readonly capabilities: JsonObject
  /** One text per family: the same text, the same list. */
  readonly lists: Readonly<Record<Reloaded['moved'][number], string>>
}

/**
 * Composes the gateway of a workspace from its lock, policy, approvals and log. Starts no server.
 *
 * @throws CommandError where there is no lock or the policy cannot be used
 */
export function openGateway(
  workspace: Workspace,
  log: DecisionLog | undefined,
  onEvent: OnEvent,
  /** Tells the clients that a list moved. */
  announce: (method: string) => Promise<void>,
): OpenGateway {
  const { settings, lock } = workspace
  if (!lock) throw lockMissing(settings.lockFile)
  const tell = createTeller(onEvent)
  const approvals = openApprovals(workspace)
  const gate = createGate({ policy: openPolicy(workspace), approvals })
  let policyText = policyTextOf(workspace)

  const serve = (members: readonly PoolMember[]): Served => {
    const servers = members.map(({ locked }) => locked)
    const catalogue = createCatalogue(members, settings.limits.nameLength)
    const routes = createUriRoutes(servers)
    const parts = {
      catalogue,
      servers,
      pool,
      routes,
      gate,
      log,
      callTimeoutMs: settings.limits.callTimeoutMs,
      listTimeoutMs: settings.limits.listTimeoutMs,
      onEvent,
    }
    const lists = {
      tools: JSON.stringify(catalogue.tools),
      prompts: JSON.stringify(catalogue.prompts),
      resources: JSON.stringify([
        listTemplates(catalogue, servers, routes),
        serversWithResources(servers).map(({ id, uriSpace }) => [id, uriSpace]),
      ]),
    }
    return {
      members,
      gateway: createGateway(parts),
      services: servicesOf(parts),
      catalogue,
      capabilities: gatewayCapabilities(servers),
      lists,
    }
  }

  const first = readMembers(workspace, workspace, (id) => entryOf(workspace, id), tell)
  const pool = createUpstreamPool({
    members: first,
    connect: createConnect(settings.erasFile, { afresh: false }),
    client: clientInfo,
    startTimeoutMs: settings.limits.startTimeoutMs,
    listTimeoutMs: settings.limits.listTimeoutMs,
    onEvent,
    onVerified: (member, verified) => {
      reportHeld(member, verified, log, onEvent)
      watches.connected(member.server.id, verified.upstream)
    },
    onResourcesMoved: ({ locked }) => {
      if (serversWithResources([locked]).length > 0) void announce('notifications/resources/list_changed')
    },
  })
  const watches = createUpstreamWatches({
    pool,
    maxPerServer: settings.limits.subscriptionsPerServer,
    onEvent,
    onRenewed: (server, uri) =>
      void log
        ?.append({ type: 'event', event: 'subscription-renewed', server, message: uri })
        .catch((error: unknown) =>
          onEvent('error', server, `It could not be recorded: ${(error as Error).message}`),
        ),
  })
  let served = serve(first)
  const subscriptions = createClientSubscriptions({
    services: () => served.services,
    watches,
    maxPerClient: settings.limits.subscriptionsPerClient,
  })

  return {
    gateway: gatewayInForce(() => served.gateway),
    listen: subscriptions.listen,
    declaration: () => ({
      capabilities: served.capabilities,
      instructions: served.catalogue.instructions,
    }),
    serverIds: first.map(({ server }) => server.id),
    toolCount: served.catalogue.tools.length,
    reload(next, confirmed) {
      if (!next.lock) throw lockMissing(next.settings.lockFile)
      const nextPolicyText = policyTextOf(next)
      const nextPolicy = nextPolicyText === policyText ? undefined : openPolicy(next)
      const inForce = new Map(served.members.map(({ locked }) => [locked.id, locked]))
      // By the profiles this process was started with: they say which logins it uses.
      const wanted = new Map(
        workspace.config.servers.flatMap(({ id }) => {
          const entry = entryOf({ ...workspace, lock: next.lock }, id)
          return entry ? [[id, entry] as const] : []
        }),
      )
      const taken = (id: string): LockedServer | undefined => {
        const [now, entry] = [inForce.get(id), wanted.get(id)]
        if (confirmed || !entry) return entry
        return now && narrowEntry(now, entry)
      }
      // Whatever fails here fails before anything is changed.
      const members = readMembers(workspace, next, taken, tell)
      const before = served
      const after = serve(members)
      pool.update(members)
      served = after
      const policy = nextPolicy && gate.reload(nextPolicy)
      policyText = nextPolicyText
      subscriptions.judge()
      const entries = new Map(members.map(({ locked }) => [locked.id, locked]))
      const lockMoved = next.config.servers.some(({ id }) => !sameEntry(inForce.get(id), entries.get(id)))
      if (confirmed && lockMoved) gate.forgetRefusals()
      const families = ['tools', 'prompts', 'resources'] as const
      return {
        moved: families.filter((family) => before.lists[family] !== after.lists[family]),
        lockMoved,
        waiting: [...wanted].flatMap(([id, entry]) => (sameEntry(entries.get(id), entry) ? [] : [id])),
        wider: policy?.widenings.map(({ message }) => message),
      }
    },
    async close() {
      watches.close()
      await pool.close()
      await approvals.close()
    },
  }
}

const policyTextOf = ({ settings: { policy } }: Workspace): string =>
  'text' in policy ? policy.text : JSON.stringify(policy.value)

const showEntry = (entry: LockedServer | undefined): string =>
  entry ? formatLock(withServer(emptyLock, entry)) : ''

const sameEntry = (one: LockedServer | undefined, other: LockedServer | undefined): boolean =>
  showEntry(one) === showEntry(other)

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
