import type { Downstream, JsonObject, Outcome, Service } from '@truename/mcp-link'
import type { ControlFile } from './control-file.ts'
import { invalidParams, methodNotFound, result, toolError } from './replies.ts'
import { findGoods, type Good } from './shop-goods.ts'

/** One shop. Every shop says the same of itself; only its answers show which one they come from. */
export interface ShopOptions {
  /** The id this shop was configured with. */
  readonly id: string
  readonly version: string
  /** Members of this object replace those of the tool's definition. */
  readonly control?: ControlFile | undefined
}

/** The tool as every shop offers it. */
const search: JsonObject = {
  name: 'search',
  title: 'Search the shop',
  description: 'Finds goods in the shop by words in their title.',
  inputSchema: {
    type: 'object',
    properties: { query: { type: 'string', description: 'Words in the title; empty for everything.' } },
    required: ['query'],
  },
  outputSchema: {
    type: 'object',
    properties: {
      shop: { type: 'string' },
      goods: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            sku: { type: 'string' },
            title: { type: 'string' },
            priceCents: { type: 'integer' },
          },
          required: ['sku', 'title', 'priceCents'],
        },
      },
    },
    required: ['shop', 'goods'],
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
}

/** A running shop. */
export interface Shop {
  readonly service: Service
  close(): void
}

/** A shop with one tool, `search`, which answers the shop's own id. */
export function createShop({ id, version, control }: ShopOptions): Shop {
  const clients = new Set<Downstream>()
  const definition = (): JsonObject => ({ ...search, ...control?.current(), name: 'search' })
  const stop = control?.onChange(() => {
    for (const client of clients) void client.notify('notifications/tools/list_changed')
  })

  const answer = (method: string, params: JsonObject): Outcome => {
    if (method === 'tools/list') return result({ tools: [definition()] })
    if (method !== 'tools/call') return methodNotFound(method)
    if (params.name !== 'search') {
      return invalidParams(`this server has no tool ${JSON.stringify(params.name)}; it has "search"`)
    }
    const query = (params.arguments as JsonObject | undefined)?.query
    if (typeof query !== 'string') return toolError('search needs "query", a string of words')
    return result(found(id, findGoods(query)))
  }

  return {
    service: {
      declare: () => ({
        info: { name: 'shop', version },
        capabilities: { tools: { listChanged: true } },
        instructions: 'A small shop. Ask `search` for goods.',
      }),
      accept(downstream) {
        clients.add(downstream)
        downstream.onClose(() => clients.delete(downstream))
        downstream.serve(async (method, params) => answer(method, params))
      },
    },
    close() {
      stop?.()
      clients.clear()
    },
  }
}

function found(shop: string, goods: readonly Good[]): JsonObject {
  const lines = goods.map(
    ({ sku, title, priceCents }) => `${sku}  ${title}  ${(priceCents / 100).toFixed(2)} €`,
  )
  const heading = `${shop} has ${goods.length === 1 ? '1 match' : `${goods.length} matches`}`
  return {
    content: [{ type: 'text', text: [heading, ...lines].join('\n') }],
    structuredContent: { shop, goods: goods.map((good) => ({ ...good })) },
  }
}
