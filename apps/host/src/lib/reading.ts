import {
  type Json,
  type JsonObject,
  type KeyMeta,
  keyMeta,
  type Outcome,
  type ReadingMeta,
  readingMeta,
  revisionMeta,
  traceMeta,
  type Upstream,
  type WireError,
} from '@truename/mcp-link'
import { addStep, beginTrace, type ReadTrace } from '@truename/template-matcher'
import type { Candidate } from './candidate.ts'
import { newTraceparent } from './traceparent.ts'

/** One document as it was read. */
export interface Reading {
  /** The URI that was sent. */
  readonly uri: string
  /** The configured id of the server that answered. */
  readonly server: string
  /** What the server says of the content's revision; absent where it says nothing. */
  readonly revision?: string
  /** When it was read: ISO 8601, UTC. */
  readonly time: string
  readonly contents: readonly JsonObject[]
  /** What the client did: declare, fill, encode, send. */
  readonly trace: ReadTrace
  /** What the server did, where it tells. */
  readonly serverTrace?: JsonObject
}

/** A reading, or the answer that came instead. */
export type ReadingOutcome =
  | { readonly ok: true; readonly reading: Reading }
  | {
      readonly ok: false
      readonly outcome: Outcome
      readonly error: WireError
      readonly trace: ReadTrace
    }

/** What is read: a URI on a server, and how it came to be. */
export type ReadTarget = Pick<Candidate, 'server' | 'uri'> & Partial<Pick<Candidate, 'from'>>

/** Reads one URI. `listed` is when the template or resource was listed. */
export async function readTarget(
  upstream: Upstream,
  target: ReadTarget,
  listed: string | undefined,
  now: () => Date = () => new Date(),
): Promise<ReadingOutcome> {
  const traceparent = newTraceparent()
  const outcome = await upstream.request('resources/read', { uri: target.uri }, { trace: { traceparent } })
  const time = now().toISOString()
  const trace = traceOf(target, outcome, { listed, time, id: traceparent.slice(3, 35) })
  if (outcome.kind === 'error') {
    return { ok: false, outcome, error: outcome.error, trace }
  }
  if (outcome.kind === 'input_required') {
    const message =
      'the server asks for input before it lets the document be read; this host has none to give'
    return { ok: false, outcome, error: { code: -32603, message }, trace }
  }
  const meta = (outcome.value._meta ?? {}) as JsonObject
  const relayed = meta[readingMeta] as Partial<ReadingMeta> | undefined
  const key = meta[keyMeta] as Partial<KeyMeta> | undefined
  const revision = meta[revisionMeta]
  const serverTrace = meta[traceMeta]
  return {
    ok: true,
    reading: {
      uri: target.uri,
      server: relayed?.server ?? key?.server ?? target.server,
      ...(typeof revision === 'string' && { revision }),
      time: relayed?.time ?? time,
      contents: contentsOf(outcome.value),
      trace,
      ...(isObject(serverTrace) && { serverTrace }),
    },
  }
}

/** What the error of a read carries for a person: lines of explanation, and documents it could have meant. */
export function adviceOf(error: WireError): {
  readonly lines: readonly string[]
  readonly meant: readonly { readonly name: string; readonly uri: string }[]
} {
  const data = isObject(error.data) ? error.data : {}
  const lines = strings(data.explanation)
  const meant = (Array.isArray(data.didYouMean) ? data.didYouMean : []).flatMap((one: Json) =>
    isObject(one) && typeof one.name === 'string' && typeof one.uri === 'string'
      ? [{ name: one.name, uri: one.uri }]
      : [],
  )
  return { lines, meant }
}

function traceOf(
  { uri, from }: ReadTarget,
  outcome: Outcome,
  { listed, time, id }: { listed: string | undefined; time: string; id: string },
): ReadTrace {
  let trace = beginTrace(uri, { side: 'client', id, at: time })
  if (from?.kind === 'template') {
    const { template, values } = from
    trace = addStep(trace, {
      step: 'declare',
      ok: true,
      template,
      ...(listed !== undefined && { listedAt: listed }),
    })
    trace = addStep(trace, { step: 'fill', ok: true, values })
    trace = addStep(trace, { step: 'encode', ok: true, uri })
  } else if (listed !== undefined) {
    trace = addStep(trace, { step: 'declare', ok: true, uri, listedAt: listed })
  }
  // What the server makes of it are the server's steps; only a request that got no answer failed to be sent.
  const unsent = outcome.kind === 'error' && outcome.failure !== undefined ? outcome.error.message : undefined
  return addStep(trace, {
    step: 'send',
    ok: unsent === undefined,
    uri,
    ...(unsent !== undefined && { reason: unsent }),
  })
}

function contentsOf(result: JsonObject): readonly JsonObject[] {
  return Array.isArray(result.contents) ? result.contents.filter(isObject) : []
}

function strings(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((one: Json) => typeof one === 'string') : []
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
