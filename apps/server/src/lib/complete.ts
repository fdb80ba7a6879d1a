import { foldName } from '@truename/mcp-link'
import type { DocumentSnapshot } from './document-store.ts'
import { catalogTemplate, treeTemplate } from './document-uri.ts'

/** What completion of a template variable offers (2025-06-18 and later, server/utilities/completion). */
export interface Completion {
  /** At most 100, exact values: what goes into the template as it stands. */
  readonly values: readonly string[]
  readonly total: number
  readonly hasMore: boolean
}

const most = 100

/**
 * Values for a variable of one of the two templates that begin with what was typed, then those that contain it;
 * letter case, normalisation and spacing are forgiven in the comparison, never in the values.
 * @returns `undefined` where the template has no such variable or is none of ours
 */
export function completeVariable(
  snapshot: DocumentSnapshot,
  template: string,
  variable: string,
  typed: string,
): Completion | undefined {
  const all = valuesOf(snapshot, template, variable)
  if (!all) return undefined
  const wanted = foldName(typed)
  const folded = all.map((value) => [value, foldName(value)] as const)
  const begins = folded.filter(([, text]) => text.startsWith(wanted))
  const contains = folded.filter(([, text]) => !text.startsWith(wanted) && text.includes(wanted))
  const values = [...begins, ...contains].map(([value]) => value)
  return { values: values.slice(0, most), total: values.length, hasMore: values.length > most }
}

function valuesOf(snapshot: DocumentSnapshot, template: string, variable: string): string[] | undefined {
  if (template === catalogTemplate && variable === 'name') return [...snapshot.named.keys()]
  if (template === treeTemplate && variable === 'path') return [...snapshot.files.keys()]
  return undefined
}
