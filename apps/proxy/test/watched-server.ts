import {
  type Connected,
  type ConnectOptions,
  connectLink,
  createMemoryPair,
  type Era,
  isJsonObject,
  type JsonObject,
  type WireMessage,
} from '@truename/mcp-link'

const subscriptionId = 'io.modelcontextprotocol/subscriptionId'

/** How the server behaves now. */
export interface Behaviour {
  /** The answer to a legacy subscription instead of a yes. */
  refuses?: JsonObject | undefined
  /** Leaves subscriptions out of a modern acknowledgement. */
  withholds?: boolean | undefined
  /** Does not start before this is settled. */
  starts?: Promise<void> | undefined
  /** Answers no subscription until this is settled. */
  holds?: Promise<void> | undefined
  /** Answers no listing and completion until this is settled; called when one is asked for. */
  thinks?: (() => Promise<void>) | undefined
}

/** A server whose every message is in the test's hands: what it promises it may break. */
export interface WatchedServer {
  readonly behaviour: Behaviour
  connect(options: ConnectOptions): Promise<Connected>
  /** What it was asked of subscriptions, in order, as `+uri` and `-uri`. */
  readonly asked: readonly string[]
  /** The URIs it was asked to read. */
  readonly reads: readonly unknown[]
  /** How often it was asked whether it is there. */
  readonly pings: number
  /** How many connections it ever had. */
  readonly connections: number
  /** Sends an update of a URI, whoever subscribed to what; in the modern era under one that fits, if any. */
  update(uri: unknown): Promise<void>
  /** Ends modern subscriptions, as a server does that goes away for a moment. */
  endSubscriptions(): Promise<void>
  /** Is gone without a word. */
  crash(): Promise<void>
}

/** Creates a server of resources `x://…` in one of the eras. */
export function createWatchedServer(
  era: Era,
  capabilities: JsonObject = { resources: { subscribe: true } },
): WatchedServer {
  const behaviour: Behaviour = {}
  const asked: string[] = []
  const reads: unknown[] = []
  const listens = new Map<unknown, readonly string[]>()
  let connections = 0
  let pings = 0
  let send: (message: object) => Promise<void> = async () => undefined
  let crash: () => Promise<void> = async () => undefined

  const results: Readonly<Record<string, JsonObject>> = {
    'resources/list': { resources: ['x://a', 'x://b'].map((uri) => ({ uri, name: uri })) },
    'resources/templates/list': { resourceTemplates: [{ name: 'x', uriTemplate: 'x://{+path}' }] },
    'completion/complete': { completion: { values: ['a'] } },
    ping: {},
  }
  const listen = async (id: unknown, uris: readonly string[]): Promise<void> => {
    asked.push(...uris.map((uri) => `+${uri}`))
    listens.set(id, uris)
    await behaviour.holds
    const agreed = behaviour.withholds ? {} : { resourceSubscriptions: uris }
    await send({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: agreed, _meta: { [subscriptionId]: id } },
    })
  }
  const cancel = (id: unknown): void => {
    asked.push(...(listens.get(id) ?? []).map((uri) => `-${uri}`))
    listens.delete(id)
  }
  const take = async (method: string, id: unknown, params: JsonObject): Promise<void> => {
    const answer = (result: object) => send({ id, result })
    if (method === 'ping') pings += 1
    if (era === 'legacy' && method === 'initialize') {
      await answer({ protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'x', version: '1' } })
    } else if (era === 'modern' && method === 'server/discover') {
      await answer({ resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities })
    } else if (era === 'modern' && method === 'subscriptions/listen') {
      const filter = isJsonObject(params.notifications) ? params.notifications : {}
      const uris = filter.resourceSubscriptions
      if (Array.isArray(uris)) await listen(id, uris as string[])
      else await answer({ resultType: 'complete' })
    } else if (method === 'notifications/cancelled') cancel(params.requestId)
    else if (era === 'legacy' && /^resources\/(un)?subscribe$/.test(method)) {
      const off = method === 'resources/unsubscribe'
      asked.push(`${off ? '-' : '+'}${params.uri}`)
      await behaviour.holds
      if (behaviour.refuses && !off) await send({ id, error: behaviour.refuses })
      else await answer({})
    } else if (method === 'resources/read') {
      reads.push(params.uri)
      await answer({ contents: [{ uri: params.uri, text: 'text' }] })
    } else if (Object.hasOwn(results, method)) {
      await behaviour.thinks?.()
      await answer({ ...results[method] })
    } else if (id !== undefined) await send({ id, error: { code: -32601, message: 'Method not found' } })
  }

  return {
    behaviour,
    asked,
    reads,
    get connections() {
      return connections
    },
    get pings() {
      return pings
    },
    async connect(options) {
      await behaviour.starts
      const dial = async () => {
        const [near, far] = createMemoryPair()
        listens.clear()
        send = (message) => far.send({ jsonrpc: '2.0', ...message } as WireMessage).catch(() => undefined)
        crash = () => far.close()
        far.onmessage = (({ method, id, params }: { method: string; id: unknown; params?: JsonObject }) => {
          void take(method, id, params ?? {})
        }) as (message: never) => void
        await far.start()
        return { transport: near }
      }
      connections += 1
      return connectLink({ serverId: 's', transport: 'stdio', dial }, { ...options, era })
    },
    async update(uri) {
      const params = { uri }
      const ids = [...listens]
      const fitting = ids.find(([, uris]) => uris.some((watched) => String(uri).startsWith(watched)))
      const [id] = fitting ?? ids.at(-1) ?? []
      await send({
        method: 'notifications/resources/updated',
        params: era === 'legacy' ? params : { ...params, _meta: { [subscriptionId]: id } },
      })
    },
    async endSubscriptions() {
      const ids = [...listens.keys()]
      listens.clear()
      for (const id of ids) await send({ id, result: { resultType: 'complete' } })
    },
    crash: () => crash(),
  }
}
