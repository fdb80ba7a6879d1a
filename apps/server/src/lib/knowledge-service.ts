import type { Downstream, DownstreamContext, JsonObject, LineLog, Outcome, Service } from '@truename/mcp-link'
import { completeVariable } from './complete.ts'
import type { DocumentStore } from './document-store.ts'
import { callFindDocuments, findDocumentsTool } from './find-documents-tool.ts'
import { listResources, resourceTemplates } from './list-resources.ts'
import { fileOfUri, readDocument } from './read-document.ts'
import { invalidParams, methodNotFound, result } from './replies.ts'
import { createSearch } from './search-documents.ts'
import { createSubscriptions } from './subscriptions.ts'

/** How a folder of documents is offered. */
export interface KnowledgeOptions {
  readonly store: DocumentStore
  readonly version: string
  /** Resources on a page; default 100. */
  readonly pageSize?: number | undefined
  /** One line for each read. */
  readonly log?: LineLog | undefined
  readonly now?: (() => Date) | undefined
}

/** A running knowledge base. */
export interface KnowledgeBase {
  readonly service: Service
  close(): void
}

const instructions =
  'A knowledge base. A document has a URI by its name, docs://catalog/{name}, where {name} is one percent-encoded ' +
  'segment, and one by the path of its file, docs://tree{/path*}. Use `find_documents` to find documents by words, and read ' +
  'them by the URIs it gives, unchanged.'

/** Offers the documents of a store as resources, templates, completions, notifications and a tool `find_documents`. */
export function createKnowledgeBase(options: KnowledgeOptions): KnowledgeBase {
  const { store, version, pageSize = 100, log, now = () => new Date() } = options
  const search = createSearch(store)
  const subscriptions = createSubscriptions((uri) => fileOfUri(uri, store.snapshot())?.path)
  const stop = store.onChange((change) => subscriptions.announce(change))

  const read = async (params: JsonObject, context: DownstreamContext): Promise<Outcome> => {
    if (typeof params.uri !== 'string') return invalidParams('resources/read needs "uri", a string')
    const { outcome, trace } = await readDocument(store, {
      uri: params.uri,
      era: context.client.era,
      traceId: traceIdOf(context.trace?.traceparent),
      time: now(),
    })
    log?.write(trace)
    return outcome
  }

  const answer = async (method: string, params: JsonObject, context: DownstreamContext): Promise<Outcome> => {
    switch (method) {
      case 'resources/list':
        return listResources(store.snapshot(), params.cursor, pageSize)
      case 'resources/templates/list':
        return params.cursor === undefined
          ? result({ resourceTemplates })
          : invalidParams('"cursor" is not one that this server gave: all templates are on one page')
      case 'resources/read':
        return read(params, context)
      case 'completion/complete':
        return complete(store, params)
      case 'tools/list':
        return params.cursor === undefined
          ? result({ tools: [findDocumentsTool] })
          : invalidParams('"cursor" is not one that this server gave: all tools are on one page')
      case 'tools/call':
        return params.name === findDocumentsTool.name
          ? callFindDocuments(search, objectOr(params.arguments), context)
          : invalidParams(`this server has no tool ${JSON.stringify(params.name)}; it has "find_documents"`)
      default:
        return methodNotFound(method)
    }
  }

  return {
    service: {
      declare: () => ({
        info: { name: 'truename-server', title: 'Knowledge base', version },
        capabilities: { resources: { subscribe: true, listChanged: true }, completions: {}, tools: {} },
        instructions,
      }),
      accept(downstream: Downstream) {
        subscriptions.add(downstream)
        downstream.serve(answer)
      },
      listening: (downstream, filter) => subscriptions.listen(downstream, filter),
    },
    close() {
      stop()
      subscriptions.close()
    },
  }
}

function complete(store: DocumentStore, params: JsonObject): Outcome {
  const ref = objectOr(params.ref)
  const argument = objectOr(params.argument)
  if (ref.type !== 'ref/resource' || typeof ref.uri !== 'string') {
    return invalidParams(
      'this server completes variables of its templates: "ref" must be a ref/resource with its "uri"',
    )
  }
  if (typeof argument.name !== 'string' || typeof argument.value !== 'string') {
    return invalidParams('"argument" must have "name" and "value", both strings')
  }
  const completion = completeVariable(store.snapshot(), ref.uri, argument.name, argument.value)
  return completion
    ? result({ completion: { ...completion } })
    : invalidParams(
        `no template ${JSON.stringify(ref.uri)} with a variable ${JSON.stringify(argument.name)} is listed`,
      )
}

/** The trace id of a W3C `traceparent` (Trace Context §3.2.2.3); `undefined` where it is no legal one. */
function traceIdOf(traceparent: string | undefined): string | undefined {
  const id = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/.exec(traceparent ?? '')?.[1]
  return id === undefined || /^0+$/.test(id) ? undefined : id
}

function objectOr(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}
