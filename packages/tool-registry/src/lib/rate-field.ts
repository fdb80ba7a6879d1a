import { diffJson } from './diff-json.ts'
import type { Compatibility, DriftPlace, DriftReason, Severity } from './drift.ts'
import type { Json } from './json.ts'

/** What is said of the change of one field. */
export interface FieldRating {
  readonly pointer: string
  readonly places: readonly DriftPlace[]
  readonly severity: Severity
  readonly reasons: readonly DriftReason[]
  readonly compatibility?: Compatibility | undefined
}

/** Classifies the change of one member of a definition. */
export function rateField(field: string, before: Json | undefined, after: Json | undefined): FieldRating {
  const changes = diffJson(before, after)
  const places = changes.map(({ pointer, op }) => ({ pointer: `/${field}${pointer}`, op }))
  return { pointer: places[0]?.pointer ?? `/${field}`, places, severity: 'medium', reasons: ['text-changed'] }
}
