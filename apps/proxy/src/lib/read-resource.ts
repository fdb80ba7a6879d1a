import {
  type DownstreamContext,
  type JsonObject,
  keyMeta,
  type Outcome,
  readingMeta,
  revisionMeta,
} from '@truename/mcp-link'
import { addStep, beginTrace, locateStep, noMatchStep, type ReadTrace } from '@truename/template-matcher'
import type { Key } from '@truename/tool-registry'
import { type CallServices, guardedCall } from './guarded-call.ts'
import { noOwner, requestRefusal } from './refusal.ts'
import { rewriteResultUris } from './uri-rewrite.ts'
import type { UriRoutes } from './uri-routes.ts'

/** `resources/read`: to the one server that owns the URI, byte for byte. */
export async function readResource(
  services: CallServices & { readonly routes: UriRoutes },
  params: JsonObject,
  context: DownstreamContext,
): Promise<Outcome> {
  const { uri } = params
  if (typeof uri !== 'string') {
    return { kind: 'error', error: { code: -32602, message: 'resources/read needs "uri", a string' } }
  }
  const owner = services.routes.owner(uri)
  if (!owner) {
    const trace = addStep(beginTrace(uri), noMatchStep(uri, 'no server of the lock owns this URI'))
    await record(services, context, { trace, key: { server: '', kind: 'resource', name: uri } })
    return noOwner(services.routes, uri)
  }
  const key: Key = { server: owner.server, kind: 'resource', name: owner.uri }
  const guarded = await guardedCall(services, {
    key,
    method: 'resources/read',
    template: owner.template,
    params: { ...params, uri: owner.uri },
    args: { uri: owner.uri },
    context,
  })
  if (guarded.kind !== 'answered') return requestRefusal(key, guarded)
  const { outcome, call } = guarded
  const time = new Date().toISOString()
  const located =
    outcome.kind === 'error'
      ? locateStep(owner.uri, false, outcome.error.message)
      : locateStep(owner.uri, true)
  const revision = outcome.kind === 'result' ? revisionOf(outcome.value) : undefined
  await record(services, context, { trace: addStep(owner.trace, located), key, call, revision })
  if (outcome.kind !== 'result') return outcome
  const value = rewriteResultUris(outcome.value, (own) => services.routes.toClient(owner.server, own))
  return {
    kind: 'result',
    value: {
      ...value,
      _meta: {
        ...(value._meta as JsonObject | undefined),
        [keyMeta]: { server: owner.server, kind: 'resource', name: owner.template ?? owner.uri },
        [readingMeta]: { server: owner.server, uri: owner.uri, time },
      },
    },
  }
}

const revisionOf = (result: JsonObject): string | undefined => {
  const revision = (result._meta as JsonObject | undefined)?.[revisionMeta]
  return typeof revision === 'string' ? revision : undefined
}

/** What is known of a reading when it is traced. */
interface Seen {
  readonly trace: ReadTrace
  readonly key: Key
  readonly call?: string
  readonly revision?: string | undefined
}

async function record(
  { log, onEvent }: CallServices,
  context: DownstreamContext,
  { trace, key, call, revision }: Seen,
): Promise<void> {
  const traceparent = context.trace?.traceparent
  const line: ReadTrace = {
    ...trace,
    side: 'proxy',
    at: new Date().toISOString(),
    ...(traceparent !== undefined && { id: traceparent.split('-')[1] }),
  }
  await log
    ?.append({
      type: 'read',
      key,
      uri: trace.uri,
      call,
      revision,
      trace: line as unknown as JsonObject,
      traceparent,
    })
    .catch((error: unknown) =>
      onEvent('error', key.server, `A reading could not be traced: ${(error as Error).message}`),
    )
}
