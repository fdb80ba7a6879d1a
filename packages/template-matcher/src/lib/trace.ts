import type { TemplateValues } from '@truename/uri-codec'
import { groupBy } from './group-by.ts'
import type { Deviation, Match, RawPiece } from './match.ts'
import type { MatchedValues } from './settle.ts'

/** The seven steps of a read, in order: the client takes the first four, the server the last three. */
export const traceSteps = ['declare', 'fill', 'encode', 'send', 'match', 'decode', 'locate'] as const

/** Who writes a part of a trace, from the one that asks to the one that answers; `undefined` where that is not said. */
const sides = ['client', 'proxy', 'server', undefined] as const

/** One of {@link traceSteps}. */
export type TraceStepName = (typeof traceSteps)[number]

/** What happened in one step. Every step has this shape; what a step has nothing to say of is left out. */
export interface TraceStep {
  readonly step: TraceStepName
  readonly ok: boolean
  /** The template as listed. */
  readonly template?: string
  /** `declare`: when the template was listed, in RFC 3339; a remembered template that is listed no more is not `ok`. */
  readonly listedAt?: string
  /** `fill`: the values chosen; `decode`: the values read. */
  readonly values?: TemplateValues | MatchedValues
  /** `encode`, `send`, `match`: the URI at this step. */
  readonly uri?: string
  /** `match`: the URI in pieces. */
  readonly raw?: readonly RawPiece[]
  /** `send`, `match`: how the spelling differs from what expansion writes. */
  readonly deviations?: readonly Deviation[]
  /** `locate`: what was found, or looked for in vain. */
  readonly identifier?: string
  /** Why the step failed, in one sentence. */
  readonly reason?: string
}

/** The trace of one read: one JSON object, of the same shape on client, proxy and server. */
export interface ReadTrace {
  readonly version: 1
  /** Where this part of the trace was written. */
  readonly side?: 'client' | 'proxy' | 'server'
  /** What the logs are joined by: the trace id of the request, where it carries one. */
  readonly id?: string
  /** When the trace was begun, in RFC 3339. */
  readonly at?: string
  /** The requested URI, byte for byte. */
  readonly uri: string
  /** In the order in which they happened. */
  readonly steps: readonly TraceStep[]
}

/** A trace without steps. */
export const beginTrace = (uri: string, origin: Pick<ReadTrace, 'side' | 'id' | 'at'> = {}): ReadTrace => ({
  version: 1,
  ...origin,
  uri,
  steps: [],
})

/** The trace with one more step; an earlier entry for the same step is replaced. */
export const addStep = (trace: ReadTrace, step: TraceStep): ReadTrace => ({
  ...trace,
  steps: [...trace.steps.filter((each) => each.step !== step.step), step],
})

/** The steps `match` and `decode` of a match. */
export function matchSteps(
  match: Pick<Match, 'template' | 'uri' | 'raw' | 'values' | 'deviations'>,
): TraceStep[] {
  const template = match.template.source
  const { uri, raw, deviations, values } = match
  return [
    { step: 'match', ok: true, template, uri, raw, ...(deviations.length > 0 && { deviations }) },
    { step: 'decode', ok: true, values },
  ]
}

/** The step `match` where no template matches. */
export const noMatchStep = (uri: string, reason: string): TraceStep => ({
  step: 'match',
  ok: false,
  uri,
  reason,
})

/** The step `locate`. */
export const locateStep = (identifier: string, found: boolean, reason?: string): TraceStep => ({
  step: 'locate',
  ok: found,
  identifier,
  ...(reason !== undefined && { reason }),
})

/** The first step that failed; `undefined` where none did. */
export const failedStep = (trace: ReadTrace): TraceStep | undefined => trace.steps.find((step) => !step.ok)

/**
 * Puts the traces of one read together: by `id` where they carry one, else by URI, each read's steps in the order of
 * {@link traceSteps}, with the side that wrote each, the client before the proxy before the server. A proxy may send
 * another URI on: the `uri` of a read is the one its client asked for, or who is next to it of those that wrote. Where
 * one side wrote several URIs under one id, these are several reads, told apart by URI.
 */
export function joinTraces(traces: readonly ReadTrace[]): {
  readonly id?: string
  readonly uri: string
  readonly steps: readonly (TraceStep & Pick<ReadTrace, 'side'>)[]
}[] {
  const uriOf = ({ uri }: ReadTrace): string => uri
  const requests = groupBy(traces, ({ id, uri }) => (id === undefined ? `uri ${uri}` : `id ${id}`))
  const reads = [...requests.values()].flatMap((request) => {
    const isSeveral = [...groupBy(request, ({ side }) => side)].some(
      ([side, own]) => side !== undefined && groupBy(own, uriOf).size > 1,
    )
    return isSeveral ? [...groupBy(request, uriOf).values()] : [request]
  })
  return reads.map((read) => {
    const parts = [...read].sort((left, right) => sides.indexOf(left.side) - sides.indexOf(right.side))
    const [{ id, uri }] = parts as [ReadTrace, ...ReadTrace[]]
    const steps = parts
      .flatMap(({ side, steps: each }) =>
        each.map((step) => ({ ...step, ...(side !== undefined && { side }) })),
      )
      .sort((left, right) => traceSteps.indexOf(left.step) - traceSteps.indexOf(right.step))
    return { ...(id !== undefined && { id }), uri, steps }
  })
}
