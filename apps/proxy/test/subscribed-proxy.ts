import { createGate, memoryApprovals, parsePolicy } from '@truename/call-gate'
import { createDecisionLog, type LogRecord, type LogStore, memoryStore } from '@truename/decision-log'
import {
  connectInMemory,
  createAudience,
  type Era,
  type ServerConfig,
  type Service,
} from '@truename/mcp-link'
import { fingerprintEndpoint, type LockedServer, type LockModes, lockServer } from '@truename/tool-registry'
import { onTestFinished } from 'vitest'
import { createCatalogue } from '../src/lib/catalogue.ts'
import { createClientSubscriptions } from '../src/lib/client-subscriptions.ts'
import { createGateway, gatewayCapabilities, gatewayInForce, servicesOf } from '../src/lib/gateway.ts'
import { createUpstreamPool, type PoolMember } from '../src/lib/upstream-pool.ts'
import { createUpstreamWatches } from '../src/lib/upstream-watches.ts'
import { createUriRoutes } from '../src/lib/uri-routes.ts'
import type { WatchedServer } from './watched-server.ts'
import { configOf, written } from './written-server.ts'

/** A server of the lock with the resources of one template, and some that were listed. */
export const lockedServer = (
  capabilities: object = { resources: { subscribe: true } },
  {
    id = 's',
    template = 'x://{+path}',
    resources = [],
    modes,
  }: { id?: string; template?: string; resources?: readonly string[]; modes?: Partial<LockModes> } = {},
): LockedServer =>
  lockServer({
    id,
    endpoint: fingerprintEndpoint(written),
    modes,
    surface: {
      serverInfo: null,
      capabilities,
      instructions: null,
      resourceTemplates: [{ name: 'resources', uriTemplate: template }],
      resources: resources.map((uri) => ({ uri, name: uri })),
    },
  }).server

/** What is around the subscriptions. */
export interface ProxyOptions {
  readonly servers?: readonly LockedServer[]
  readonly policy?: readonly object[]
  readonly maxPerClient?: number
  readonly maxPerServer?: number
  readonly pingMs?: number
  /** Waited for before a record is written. */
  readonly beforeWriting?: (lines: Uint8Array) => Promise<void>
}

/** The proxy as it serves, in front of one scripted server; everything but processes and sockets is real. */
export function openSubscribedProxy(server: WatchedServer, options: ProxyOptions = {}) {
  const memory = memoryStore()
  const { beforeWriting } = options
  const store: LogStore = !beforeWriting
    ? memory
    : {
        ...memory,
        async openTree(tree) {
          const writer = await memory.openTree(tree)
          return {
            ...writer,
            async append(lines, firstIndex) {
              await beforeWriting(lines)
              await writer.append(lines, firstIndex)
            },
          }
        },
      }
  const log = createDecisionLog({ store })
  const events: string[] = []
  const onEvent = (_level: string, id: string, message: string): void => void events.push(`${id}: ${message}`)
  const gate = createGate({
    policy: parsePolicy(options.policy ?? []),
    approvals: memoryApprovals(),
  })
  const renewed: string[] = []
  const configs = new Map<string, ServerConfig>()
  const memberOf = (locked: LockedServer, endpointProblem?: string): PoolMember => {
    const config = configs.get(locked.id) ?? configOf(locked.id)
    configs.set(locked.id, config)
    return { server: config, locked, machine: {}, endpointProblem, verifyEveryMs: 300_000 }
  }
  const serve = (members: readonly PoolMember[]) => {
    const servers = members.map(({ locked }) => locked)
    const parts = {
      catalogue: createCatalogue(members, 48),
      servers,
      pool,
      routes: createUriRoutes(servers),
      gate,
      log,
      callTimeoutMs: 5000,
      listTimeoutMs: 5000,
      onEvent,
    }
    return {
      gateway: createGateway(parts),
      services: servicesOf(parts),
      declared: gatewayCapabilities(servers),
    }
  }
  const first = (options.servers ?? [lockedServer()]).map((locked) => memberOf(locked))
  const pool = createUpstreamPool({
    members: first,
    connect: (_config, how) => server.connect(how),
    client: { name: 'proxy', version: '1' },
    startTimeoutMs: 5000,
    listTimeoutMs: 5000,
    onVerified: ({ locked }, { upstream }) => watches.connected(locked.id, upstream),
    onResourcesMoved: () => undefined,
    onEvent,
  })
  const watches = createUpstreamWatches({
    pool,
    maxPerServer: options.maxPerServer ?? 500,
    onEvent,
    onRenewed: (id, uri) => renewed.push(`${id} ${uri}`),
    pausesMs: { least: 5, most: 20 },
    ...(options.pingMs !== undefined && { pingMs: options.pingMs }),
  })
  let served = serve(first)
  const subscriptions = createClientSubscriptions({
    services: () => served.services,
    watches,
    maxPerClient: options.maxPerClient ?? 100,
    pauseMs: 5,
  })
  const service: Service = {
    declare: () => ({ info: { name: 'proxy', version: '1' }, capabilities: served.declared }),
    accept: (client) => client.serve(gatewayInForce(() => served.gateway)),
    listening: subscriptions.listen,
  }
  onTestFinished(async () => {
    watches.close()
    await pool.close()
  })
  return {
    service: createAudience(service).service,
    gate,
    watches,
    pool,
    events,
    renewed,
    closeLog: () => log.close(),
    /** The records of one type, oldest first. */
    async records(type: LogRecord['type']): Promise<readonly LogRecord[]> {
      const found: LogRecord[] = []
      for await (const record of log.query({ type })) found.push(record)
      return found
    },
    /** Takes another lock, as a reload does; or the same, and why the configuration is not what was approved. */
    reload(servers: readonly LockedServer[], endpointProblem?: string) {
      const members = servers.map((locked) => memberOf(locked, endpointProblem))
      const after = serve(members)
      pool.update(members)
      served = after
      subscriptions.judge()
    },
    narrow(policy: readonly object[]) {
      gate.reload(parsePolicy(policy))
      subscriptions.judge()
    },
  }
}

/** A client of the proxy, with the URIs it was told of. */
export async function watchingClient(service: Service, era: Era) {
  const connected = await connectInMemory('proxy', service, { client: { name: 'c', version: '1' }, era })
  if (!connected.ok) throw new Error(connected.failure.message)
  const { upstream } = connected
  onTestFinished(() => upstream.close())
  const told: unknown[] = []
  upstream.onNotification(({ method, params }) => {
    if (method === 'notifications/resources/updated') told.push(params?.uri)
  })
  const watch = (...uris: readonly string[]) => upstream.listen({ resourceSubscriptions: uris })
  return { upstream, told, watch } as const
}
