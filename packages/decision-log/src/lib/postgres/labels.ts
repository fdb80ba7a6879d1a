import { traceIdOf } from '../query.ts'
import type { LogRecord } from '../record.ts'

/** The columns a database searches by. Answers are always checked against the record itself. */
export const labelColumns = [
  'id',
  'type',
  'call',
  'server',
  'kind',
  'name',
  'verdict',
  'outcome',
  'profile',
  'trace_id',
] as const

export type LabelColumn = (typeof labelColumns)[number]

export type Labels = Readonly<Record<LabelColumn, string | null>>

// An index entry has its limits, and PostgreSQL keeps neither NUL nor lone surrogates.
const longestLabel = 200

/** A text as it stands in a column: what a text column cannot hold is replaced, and the rest cut off. */
export function label(text: string): string {
  const units = text.slice(0, longestLabel)
  let clean = ''
  for (const character of units) {
    const code = character.codePointAt(0) ?? 0
    clean += code === 0 || (code >= 0xd800 && code <= 0xdfff) ? '\ufffd' : character
  }
  return clean
}

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined

/** The columns of a record. */
export function labelsOf(record: LogRecord): Labels {
  const own = (name: string): unknown => member(record, name)
  const key = own('key')
  const text = (value: unknown): string | null => (typeof value === 'string' ? label(value) : null)
  return {
    id: text(record.id),
    type: text(record.type),
    call: text(own('call')),
    server: text(member(key, 'server') ?? own('server')),
    kind: text(member(key, 'kind')),
    name: text(member(key, 'name')),
    verdict: text(own('verdict')),
    outcome: text(own('outcome')),
    profile: text(member(own('caller'), 'profile')),
    trace_id: text(traceIdOf(record.traceparent)),
  }
}
