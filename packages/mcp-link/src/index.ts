export { foldMarks, foldName } from './lib/fold-name.ts'
export type { Json, JsonObject } from './lib/json.ts'
export { type LineLog, LogFileError, openLineLog } from './lib/line-log.ts'
export {
  type HeldMeta,
  heldMeta,
  type KeyMeta,
  keyMeta,
  metaPrefix,
  type ReadingMeta,
  type ReadTraceMeta,
  type RefusedMeta,
  readingMeta,
  refusedMeta,
  revisionMeta,
  type TracedValue,
  traceMeta,
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
