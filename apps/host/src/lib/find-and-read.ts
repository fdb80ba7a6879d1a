import { type LineLog, listFamily, type Upstream } from '@truename/mcp-link'
import type { Candidate } from './candidate.ts'
import { gatherOffer, type Offer, templateCandidate } from './candidates.ts'
import { chooseDocument } from './choose-document.ts'
import { problemsOf } from './listing-problems.ts'
import { isNotFound } from './outcome-exit.ts'
import { type Reading, type ReadingOutcome, type ReadTarget, readTarget } from './reading.ts'

/** What came of asking for a document by its name. */
export type Found =
  | { readonly kind: 'read'; readonly reading: Reading; readonly candidate: ReadTarget }
  /** The document was found, and reading it failed. */
  | { readonly kind: 'unread'; readonly failed: FailedReading; readonly candidate: ReadTarget }
  | { readonly kind: 'several'; readonly candidates: readonly Candidate[] }
  | { readonly kind: 'suggestions'; readonly candidates: readonly Candidate[] }
  /** Nothing has this name; `failed` is what a server said when its template was filled with it. */
  | { readonly kind: 'none'; readonly failed?: FailedReading | undefined }

/** A read that gave no document. */
export type FailedReading = Extract<ReadingOutcome, { ok: false }>

/** How a document is looked for. */
export interface FindOptions {
  /** Only documents of this server (its configured id). */
  readonly from?: string | undefined
  /** One line of JSON for each read that was sent. */
  readonly log?: LineLog | undefined
  /** Told, in one line, what could not be listed. */
  readonly note?: ((line: string) => void) | undefined
}

/**
 * Finds a document by its human name and reads it: among what is listed now and what the listed templates complete
 * to; else, where a server completes nothing, by filling its template with the very name that was asked for.
 */
export async function findAndRead(
  upstream: Upstream,
  asked: string,
  options: FindOptions = {},
): Promise<Found> {
  const resources = await listFamily(upstream, 'resources')
  const templates = await listFamily(upstream, 'resourceTemplates')
  const listed = new Date().toISOString()
  for (const family of [resources, templates]) {
    for (const problem of problemsOf(family)) options.note?.(problem)
  }
  const listing = { resources: resources.items, templates: templates.items }
  const everything = await gatherOffer(upstream, listing, asked)
  const offer = options.from === undefined ? everything : offerOf(everything, options.from)
  const read = async (candidate: ReadTarget): Promise<ReadingOutcome> => {
    const outcome = await readTarget(upstream, candidate, listed)
    options.log?.write(outcome.ok ? outcome.reading.trace : outcome.trace)
    return outcome
  }

  const choice = chooseDocument(asked, offer.candidates)
  if (choice.kind === 'one') return settle(choice.candidate, await read(choice.candidate))
  if (choice.kind !== 'none') return choice
  return guess(offer, asked, read)
}

/** Reads one URI as it stands, without looking for anything. */
export async function readExactly(
  upstream: Upstream,
  uri: string,
  options: FindOptions = {},
): Promise<Found> {
  const candidate = { server: options.from ?? upstream.serverId, uri }
  const outcome = await readTarget(upstream, candidate, undefined)
  options.log?.write(outcome.ok ? outcome.reading.trace : outcome.trace)
  return settle(candidate, outcome)
}

async function guess(
  { open }: Offer,
  asked: string,
  read: (candidate: Candidate) => Promise<ReadingOutcome>,
): Promise<Found> {
  const found: { readonly candidate: Candidate; readonly reading: Reading }[] = []
  let failed: FailedReading | undefined
  for (const template of open) {
    const candidate = templateCandidate(template, asked)
    if (!candidate) continue
    const outcome = await read(candidate)
    if (outcome.ok) found.push({ candidate, reading: outcome.reading })
    else if (!isNotFound(outcome.outcome)) return { kind: 'unread', candidate, failed: outcome }
    else failed = outcome
  }
  const [first] = found
  if (!first) return { kind: 'none', failed }
  return found.length === 1
    ? { kind: 'read', ...first }
    : { kind: 'several', candidates: found.map(({ candidate }) => candidate) }
}

function settle(candidate: ReadTarget, outcome: ReadingOutcome): Found {
  return outcome.ok
    ? { kind: 'read', reading: outcome.reading, candidate }
    : { kind: 'unread', failed: outcome, candidate }
}

function offerOf({ candidates, open }: Offer, from: string): Offer {
  return {
    candidates: candidates.filter(({ server }) => server === from),
    open: open.filter(({ server }) => server === from),
  }
}
