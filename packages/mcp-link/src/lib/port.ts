import type { Era, Negotiation } from '@truename/capability-negotiator'
import type { Json, JsonObject } from './json.ts'
import type { Outcome, WireError } from './outcome.ts'

export type { Era }

/** `name` and `version` of a client or server, as it says of itself; never an identity. */
export interface Implementation extends JsonObject {
  readonly name: string
  readonly version: string
}

/** One step of a progress report. */
export interface Progress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

/** W3C trace context, carried in `_meta` under its bare names. */
export interface TraceContext {
  readonly traceparent: string
  readonly tracestate?: string | undefined
}

/** What goes along with one request. */
export interface CallContext {
  /** Aborting cancels the request at the peer. */
  readonly signal?: AbortSignal | undefined
  /** Called for each progress notification of this request, in order, before its outcome. */
  readonly progress?: ((step: Progress) => void) | undefined
  /**
   * Asks the client of this call for something (`elicitation/create`, `sampling/createMessage`, `roots/list`).
   * Aborting withdraws the question, and so does the end of the call.
   */
  readonly ask?:
    | ((
        method: string,
        params: JsonObject,
        options?: { readonly signal?: AbortSignal | undefined },
      ) => Promise<Outcome>)
    | undefined
  /** 2026-07-28: the answers to an earlier `input_required`, with its state exactly as it came. */
  readonly retry?:
    | { readonly inputResponses: JsonObject; readonly requestState?: string | undefined }
    | undefined
  readonly trace?: TraceContext | undefined
  /** What the client of this call can do; a modern upstream is told no more than that. */
  readonly capabilities?: JsonObject | undefined
  /** 2026-07-28: how much the server may log while it works on this request; without it nothing. */
  readonly logLevel?: string | undefined
  /** Milliseconds without a sign of life before the request fails with `timeout`. */
  readonly timeoutMs?: number | undefined
  /** Milliseconds in all, whatever progress is reported. */
  readonly maxTimeoutMs?: number | undefined
}

/** A message without an answer. */
export interface Notice {
  readonly method: string
  readonly params?: JsonObject | undefined
}

/** What a listener wants to be told of. */
export interface ListenFilter {
  readonly toolsListChanged?: boolean
  readonly promptsListChanged?: boolean
  readonly resourcesListChanged?: boolean
  readonly resourceSubscriptions?: readonly string[]
}

/** Running notifications; `honoured` is what the server agreed to send. */
export interface Subscription {
  /** What is told of now; nothing while it is being made anew. */
  readonly honoured: ListenFilter
  /** Why a resource is not, by URI, as far as the server says: modern ones have no field for it, except this project's. */
  readonly refused: ReadonlyMap<string, Extract<Outcome, { kind: 'error' }>>
  /** Called when it ended and was made anew: what happened between was not told. Returns how to stop. */
  onRenewed(listener: () => void): () => void
  /** Called when it ended without this side's doing; `renews` says whether it will be made anew. Returns how to stop. */
  onEnded(listener: (renews: boolean) => void): () => void
  close(): Promise<void>
}

/** Answers a request that arrived. */
export type RequestHandler<Context> = (
  method: string,
  params: JsonObject,
  context: Context,
) => Promise<Outcome>

/** One negotiated connection to one configured server. */
export interface Upstream {
  /** The key in the operator's configuration. */
  readonly serverId: string
  /** Grows with every reconnect: what was verified on one generation says nothing of the next. */
  readonly generation: number
  readonly negotiation: Negotiation
  /** What the server said of itself; informational. */
  readonly serverInfo: JsonObject | undefined
  /** Empty also while it is not known what the server can do: `negotiation.capabilities` tells the two apart. */
  readonly capabilities: JsonObject
  readonly instructions: string | undefined
  /**
   * Resolves, never rejects. A request the negotiation does not allow is not sent (`failure: 'refused'`); one that
   * comes while negotiation is under way waits for it. A `failure` with `data.retry: 'safe'` never reached the server
   * (`wasNeverHad`).
   */
  request(method: string, params: JsonObject, context?: CallContext): Promise<Outcome>
  notify(method: string, params?: JsonObject): Promise<void>
  /**
   * Asks a modern server what it can do, where that is not known (a remembered era saves that round trip) or may have
   * changed. A server that turns out to be a legacy one is initialized on this connection. Never rejects.
   */
  discover(): Promise<void>
  listen(filter: ListenFilter): Promise<Subscription>
  /** What the server asks of its client outside or inside a call; without a handler it is answered with -32601. */
  onRequest(handler: RequestHandler<{ readonly signal: AbortSignal }>): () => void
  onNotification(listener: (notice: Notice) => void): () => void
  /** Called once, with the reason, when the connection is gone. */
  onClose(listener: (reason: string) => void): () => void
  /** The last lines a child process wrote on stderr (empty over HTTP). */
  stderr(): readonly string[]
  /** Ends the connection and every process started for it. */
  close(): Promise<void>
}

/** What is known of a client: in the legacy era from its `initialize`, in the modern era from each request. */
export interface ClientFacts {
  readonly era: Era
  readonly version: string
  readonly capabilities: JsonObject
  /** What the client says of itself; never used to decide anything. */
  readonly info: JsonObject | undefined
  /** The operator's label for this client, from a token or a flag; `default` if none. */
  readonly profile: string
}

/** The context of a request from a client. */
export interface DownstreamContext extends CallContext {
  readonly signal: AbortSignal
  readonly client: ClientFacts
  /** Sends a notification along with this request: log messages. In the modern era only those it asked for. */
  notify?(method: string, params?: JsonObject): Promise<void>
}

/** What a server says of itself. */
export interface ServerDeclaration {
  readonly info: Implementation
  readonly capabilities: JsonObject
  readonly instructions?: string | undefined
}

/** One client, of either era, over stdio or HTTP. In the modern era over HTTP: one per request, which is stateless. */
export interface Downstream {
  /** Unguessable and unique for the life of the process. */
  readonly id: string
  readonly client: ClientFacts | undefined
  serve(handler: RequestHandler<DownstreamContext>): void
  onNotification(listener: (notice: Notice) => void): () => void
  /** Sends a notification to this client; list changes and resource updates reach only who listens for them. */
  notify(method: string, params?: JsonObject): Promise<void>
  /**
   * Asks this client for something outside any call (legacy era only; modern: `failure: 'refused'`). Aborting withdraws
   * the question.
   */
  request(
    method: string,
    params: JsonObject,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<Outcome>
  onClose(listener: () => void): () => void
  close(): Promise<void>
}

/** How a server is offered to clients: one declaration, one handler per client. */
export interface Service {
  /** Called once per client (modern HTTP: per request), before it is answered. */
  declare(client: ClientFacts): ServerDeclaration | Promise<ServerDeclaration>
  /** Called for each new client; calls `downstream.serve(…)`. What it sends waits until the client has begun. */
  accept(downstream: Downstream): void
  /**
   * For the modern era's `subscriptions/listen` and the legacy `resources/subscribe`: who listens to what now.
   * A returned {@link Listened} is what is honoured of it; nothing returned means all of it. Called again before an
   * earlier call has returned, with all that is wanted by then.
   */
  listening?(
    downstream: Downstream,
    filter: ListenFilter,
    about?: { readonly trace?: TraceContext | undefined },
  ): unknown
}

/** What is honoured of what a client wants to listen to. */
export interface Listened extends ListenFilter {
  /** Why a resource is not: the answer to a legacy client; a modern one finds it in the acknowledgement's `_meta`. */
  readonly refused?: ReadonlyMap<string, WireError> | undefined
}

/** A running HTTP endpoint. */
export interface HttpEndpoint {
  readonly url: string
  /** Tells every client of either era that listens for it. */
  broadcast(method: string, params?: JsonObject): Promise<void>
  close(): Promise<void>
}

/** What `Json` values the log of a link carries. */
export interface LinkEvent {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  readonly detail?: Json | undefined
}
