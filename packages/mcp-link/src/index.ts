export type { Isolation } from './lib/attribution.ts'
export { type ChildTransport, startChildTransport } from './lib/child-transport.ts'
export { type Config, type ConfigWarning, loadConfig, parseConfig } from './lib/config.ts'
export { ConfigError, type ConfigErrorCode, type Position } from './lib/config-error.ts'
export {
  type Connected,
  type ConnectFailure,
  type ConnectOptions,
  connectLink,
  type Dialled,
  type Dialler,
} from './lib/connect-link.ts'
export { connectServer } from './lib/connect-server.ts'
export { createDialler, type DialOptions, type HttpSettings, type SdkClientSide } from './lib/diallers.ts'
export { type Environment, type Expansion, expandVariables } from './lib/expand-variables.ts'
export { codes, errorAnswer, failure, reasonOf, wasNeverHad } from './lib/failure.ts'
export { foldMarks, foldName } from './lib/fold-name.ts'
export { HttpAnswerError } from './lib/http-answer.ts'
export { errorResponse, idOf } from './lib/http-answers.ts'
export type { BodyReading } from './lib/http-body.ts'
export { type Audience, createAudience, createHttpFront, type HttpOptions } from './lib/http-front.ts'
export { createHttpSessions, type HttpSessions, type SessionTransport } from './lib/http-sessions.ts'
export { createHttpTap, type Fetch, type HttpTap } from './lib/http-tap.ts'
export type { Json, JsonObject } from './lib/json.ts'
export { type LineLog, LogFileError, openLineLog } from './lib/line-log.ts'
export { createLineTransport, defaultLineLimit, type LineTransport } from './lib/line-transport.ts'
export { type Listening, listenHttp } from './lib/listen-http.ts'
export { covers } from './lib/listening.ts'
export { connectInMemory, type InMemoryOptions } from './lib/memory-link.ts'
export { createMemoryPair } from './lib/memory-pair.ts'
export { isJsonObject, type Reading, type RequestId, readMessage, type WireMessage } from './lib/message.ts'
export {
  type HeldMeta,
  heldMeta,
  type KeyMeta,
  keyMeta,
  metaPrefix,
  type ReadingMeta,
  type RefusedMeta,
  readingMeta,
  refusedMeta,
  revisionMeta,
  traceMeta,
  type UnwatchedMeta,
  unwatchedMeta,
} from './lib/meta-keys.ts'
export type { LinkFailure, Outcome, WireError } from './lib/outcome.ts'
export type {
  CallContext,
  ClientFacts,
  Downstream,
  DownstreamContext,
  Era,
  HttpEndpoint,
  Implementation,
  LinkEvent,
  Listened,
  ListenFilter,
  Notice,
  Progress,
  RequestHandler,
  ServerDeclaration,
  Service,
  Subscription,
  TraceContext,
  Upstream,
} from './lib/port.ts'
export { createSealer, type Sealer } from './lib/sealed-state.ts'
export { type ServedConnection, serveConnection } from './lib/serve-connection.ts'
export { createServing, type Serving, type ServingOptions } from './lib/serve-options.ts'
export { type StdioEndpoint, type StdioOptions, serveProcess } from './lib/serve-process.ts'
export type { ServerConfig } from './lib/server-config.ts'
export { checkStandardHeaders } from './lib/standard-headers.ts'
export { type Family, listFamily, listSurface, type Surface } from './lib/surface.ts'
export { defaultTimeouts, type Timeouts } from './lib/timeouts.ts'
export type { SendOptions, Transport } from './lib/transport.ts'
export { createVerdictStore, type RememberedVerdict, type VerdictStore } from './lib/verdict-store.ts'
export { type ResourceWatch, type WatchResourceOptions, watchResource } from './lib/watch-resource.ts'
