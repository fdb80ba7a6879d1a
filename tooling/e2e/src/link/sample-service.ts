import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Downstream,
  type DownstreamContext,
  errorAnswer,
  isJsonObject,
  type JsonObject,
  type ListenFilter,
  type Outcome,
  type ServerDeclaration,
  type Service,
} from '@truename/mcp-link'

/** What a {@link sampleService} saw, for tests to look at. */
export interface SampleLog {
  readonly calls: {
    readonly method: string
    readonly params: JsonObject
    readonly context: DownstreamContext
  }[]
  readonly clients: Downstream[]
  readonly listening: ListenFilter[]
  readonly cancelled: string[]
  /** What came of asking the client outside any call. */
  readonly later: string[]
  readonly heard: string[]
}

const text = (value: string, more: JsonObject = {}): Outcome => ({
  kind: 'result',
  value: { content: [{ type: 'text', text: value }], ...more },
})

/** A small server whose tools exercise what a link has to carry. */
export function sampleService(declare: Partial<ServerDeclaration> = {}): {
  service: Service
  log: SampleLog
} {
  const log: SampleLog = { calls: [], clients: [], listening: [], cancelled: [], later: [], heard: [] }
  const tools: Record<string, (args: JsonObject, context: DownstreamContext) => Promise<Outcome>> = {
    echo: async (args) => text(String(args.text ?? '')),
    strange: async () =>
      text('strange', {
        isError: true,
        structuredContent: { list: [1, 'two', null] },
        unknownMember: { deep: { '': 0 } },
        _meta: { 'example.org/kept': [true] },
        content: [
          { type: 'hologram', data: 'x', extra: 1 },
          { type: 'resource_link', uri: 'docs://a', name: 'a', more: {} },
        ],
      }),
    fail: async () => errorAnswer(-31999, 'Отказ', { why: ['x'] }),
    steps: async (args, context) => {
      const count = Number(args.count ?? 3)
      for (let progress = 1; progress <= count; progress += 1) {
        context.progress?.({ progress, total: count, message: `step ${progress}` })
        if (args.pauseMs !== undefined) await sleep(Number(args.pauseMs))
      }
      return text('done')
    },
    wait: async (args, context) => {
      await new Promise<void>((resolve) => {
        if (context.signal.aborted) return resolve()
        context.signal.addEventListener('abort', () => resolve(), { once: true })
      })
      log.cancelled.push(String(args.label ?? ''))
      return text('never seen')
    },
    touch: async (args) => {
      await Promise.all(
        log.clients.flatMap((client) => [
          client.notify('notifications/tools/list_changed'),
          client.notify('notifications/prompts/list_changed'),
          client.notify('notifications/resources/updated', { uri: args.uri ?? 'docs://a' }),
        ]),
      )
      return text('touched')
    },
    later: async () => {
      const [client] = log.clients.slice(-1)
      setTimeout(async () => {
        const outcome = await client?.request('roots/list', {})
        log.later.push(
          outcome?.kind === 'result'
            ? JSON.stringify(outcome.value)
            : `no: ${outcome?.kind === 'error' && outcome.error.message}`,
        )
      }, 10)
      return text('soon')
    },
    report: async () =>
      text('report', {
        structuredContent: {
          cancelled: log.cancelled,
          later: log.later,
          heard: log.heard,
          listening: log.listening.map((filter) => ({ ...filter })) as JsonObject[],
          methods: log.calls.map(({ method }) => method),
          params: log.calls.map(({ params }) => params),
        },
      }),
    ask: async (args, context) => {
      const first = await context.ask?.('elicitation/create', {
        message: 'Which?',
        requestedSchema: { type: 'object', properties: { pick: { type: 'string' } } },
      })
      if (first?.kind !== 'result')
        return text(`not asked: ${first?.kind === 'error' ? first.error.message : ''}`)
      if (args.twice !== true) return text(JSON.stringify(first.value.content))
      const second = await context.ask?.('sampling/createMessage', { messages: [], maxTokens: 1 })
      return text(
        JSON.stringify([first.value.content, second?.kind === 'result' ? second.value.model : null]),
      )
    },
  }
  const handle = async (method: string, params: JsonObject, context: DownstreamContext): Promise<Outcome> => {
    log.calls.push({ method, params, context })
    switch (method) {
      case 'tools/list':
        return {
          kind: 'result',
          value: { tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } })) },
        }
      case 'tools/call': {
        const tool = Object.hasOwn(tools, String(params.name)) ? tools[String(params.name)] : undefined
        const args = isJsonObject(params.arguments) ? params.arguments : {}
        return tool ? tool(args, context) : errorAnswer(-32602, `Unknown tool: ${String(params.name)}`)
      }
      case 'resources/list':
        return { kind: 'result', value: { resources: [{ uri: 'docs://a', name: 'a' }] } }
      case 'resources/templates/list':
        return {
          kind: 'result',
          value: { resourceTemplates: [{ uriTemplate: 'docs://{name}', name: 'doc' }] },
        }
      case 'resources/read':
        return { kind: 'result', value: { contents: [{ uri: params.uri ?? '', text: 'text', extra: 1 }] } }
      case 'prompts/list':
        return { kind: 'result', value: { prompts: [] } }
      default:
        return errorAnswer(-32601, `Method not found: ${method}`)
    }
  }
  return {
    log,
    service: {
      declare: () => ({
        info: { name: 'sample', version: '1.0.0' },
        capabilities: {
          tools: { listChanged: true },
          resources: { subscribe: true, listChanged: true },
          prompts: {},
        },
        instructions: 'Be kind.',
        ...declare,
      }),
      accept(downstream) {
        log.clients.push(downstream)
        downstream.onNotification((notice) => log.heard.push(notice.method))
        downstream.onClose(() => void log.clients.splice(log.clients.indexOf(downstream), 1))
        downstream.serve(handle)
      },
      listening(_downstream, filter) {
        log.listening.push(filter)
      },
    },
  }
}
