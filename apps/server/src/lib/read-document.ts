import {
  type Era,
  type Json,
  type JsonObject,
  type Outcome,
  revisionMeta,
  traceMeta,
} from '@truename/mcp-link'
import { addStep, locateStep, type ReadTrace } from '@truename/template-matcher'
import type { DocumentSnapshot, DocumentStore } from './document-store.ts'
import type { FolderFile } from './folder-index.ts'
import { type LikelyDocument, likelyDocuments } from './likely-documents.ts'
import { failure, invalidParams, result } from './replies.ts'
import { resolveUri, type UriReading } from './resolve-uri.ts'

/** A read as it came, with what is needed to answer and to trace it. */
export interface ReadRequest {
  readonly uri: string
  readonly era: Era
  /** The trace id of the request, where it carries one. */
  readonly traceId?: string | undefined
  readonly time: Date
}

/** The answer and what was done to get it. */
export interface ReadAnswer {
  readonly outcome: Outcome
  readonly trace: ReadTrace
}

/**
 * Answers `resources/read`: match, decode once, guard, locate, read. A URI that no template matches is -32602 saying
 * so; one that matches and names nothing is "resource not found" in the form of the client's era (2025-11-25:
 * -32002; 2026-07-28: -32602 with the URI in the data). `data.reason` tells the two apart in both.
 */
export async function readDocument(store: DocumentStore, request: ReadRequest): Promise<ReadAnswer> {
  let reading = resolveUri(request.uri, store.snapshot())
  if (reading.kind === 'missing') {
    // The folder may have changed a moment ago.
    await store.recheck()
    reading = resolveUri(request.uri, store.snapshot())
  }
  if (reading.kind !== 'located') return refused(request, reading, store.snapshot())

  const read = await store.read(reading.file)
  if (!read.ok) {
    const { path } = reading.file
    const failed = addStep(reading.trace, locateStep(path, false, read.message))
    if (read.reason === 'gone') {
      return refused(request, { kind: 'missing', why: [read.message], trace: failed }, store.snapshot())
    }
    const trace = stamped(request, failed)
    const data = { uri: request.uri, reason: read.reason, _meta: { [traceMeta]: plain(trace) } }
    return { trace, outcome: failure(-32603, read.message, data) }
  }
  const trace = stamped(request, reading.trace)
  const { revision, mimeType, text, blob } = read.content
  const content: JsonObject = { uri: request.uri, mimeType, ...(text === undefined ? { blob } : { text }) }
  const meta = { [revisionMeta]: revision, [traceMeta]: plain(trace) }
  return { trace, outcome: result({ contents: [content], _meta: meta }) }
}

/** The file a URI names now, if it names one. */
export function fileOfUri(uri: string, snapshot: DocumentSnapshot): FolderFile | undefined {
  const reading = resolveUri(uri, snapshot)
  return reading.kind === 'located' ? reading.file : undefined
}

function refused(
  request: ReadRequest,
  reading: Exclude<UriReading, { kind: 'located' }>,
  snapshot: DocumentSnapshot,
): ReadAnswer {
  const { uri, era } = request
  const trace = stamped(request, reading.trace)
  const likely = likelyDocuments(uri, snapshot)
  const explanation = explain(
    reading.kind === 'unmatched' && likely.length > 0 ? [noTemplate] : reading.why,
    likely,
  )
  const data: Json = {
    uri,
    reason: reasons[reading.kind],
    explanation,
    ...(likely.length > 0 && { didYouMean: likely.map(({ name, uri: right }) => ({ name, uri: right })) }),
    _meta: { [traceMeta]: plain(trace) },
  }
  const message = `${messages[reading.kind]}: ${explanation.join('; ')}`
  const outcome =
    reading.kind === 'missing' && era === 'legacy'
      ? failure(-32002, message, data)
      : invalidParams(message, data)
  return { outcome, trace }
}

const reasons = { missing: 'not-found', unmatched: 'no-template', unsafe: 'unsafe-path' } as const
const noTemplate = 'no template expands to it'
const messages = {
  missing: 'Resource not found',
  unmatched: 'No resource template matches this URI',
  unsafe: 'This path is not served',
} as const

/** At most three lines: what failed, what is wrong with the URI, what was meant. */
function explain(why: readonly string[], likely: readonly LikelyDocument[]): string[] {
  const [best] = likely
  if (!best) return [...why]
  const wrong = best.findings.map(({ message }) => message).join('; ')
  const meant = `${best.uri} is ${JSON.stringify(best.name)}`
  return [why[0] ?? '', ...(wrong === '' ? [] : [wrong]), meant]
}

function stamped({ traceId, time }: ReadRequest, trace: ReadTrace): ReadTrace {
  return { ...trace, side: 'server', at: time.toISOString(), ...(traceId !== undefined && { id: traceId }) }
}

/** A trace is plain data that says nothing by being absent: as JSON it is what it is. */
function plain(trace: ReadTrace): Json {
  return JSON.parse(JSON.stringify(trace)) as Json
}
