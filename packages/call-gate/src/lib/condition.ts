import { type Glob, globMatches } from './glob.ts'
import { valueAt } from './json-pointer.ts'

/** How a value of the arguments is compared. `like` is a pattern, `under` a folder. */
export type Comparison =
  | { readonly is: 'equals' | 'notEquals'; readonly value: unknown }
  | { readonly is: 'in' | 'notIn'; readonly values: readonly unknown[] }
  | { readonly is: 'like' | 'notLike'; readonly glob: Glob }
  | { readonly is: 'under'; readonly folder: string }
  | { readonly is: 'lessThan' | 'atMost' | 'greaterThan' | 'atLeast'; readonly bound: number }
  | { readonly is: 'exists'; readonly expected: boolean }

/** A condition on one value of the arguments. */
export interface Condition {
  /** RFC 6901, as written. */
  readonly pointer: string
  readonly tokens: readonly string[]
  readonly comparison: Comparison
  /** The condition in one canonical spelling: two conditions are the same where these are. */
  readonly text: string
}

/**
 * Whether a condition holds. It cannot be decided where the value is absent, or of a type the comparison
 * is not defined for: such a call never falls under a rule that allows, always under one that restricts.
 */
export type Truth = 'yes' | 'no' | 'undecidable'

/** Equality of JSON values: numbers by value, members in any order. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => sameJson(item, b[index]))
    )
  }
  const keys = Object.keys(a)
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>]
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameJson(left[key], right[key]))
  )
}

const not = (truth: Truth): Truth => (truth === 'yes' ? 'no' : truth === 'no' ? 'yes' : truth)
const truthOf = (holds: boolean): Truth => (holds ? 'yes' : 'no')

/** `..` anywhere leaves it open where a path leads; NUL ends it early for some readers. */
export const isOpenPath = (path: string): boolean =>
  path.includes('\0') || (path.includes('..') && path.split(/[/\\]/).includes('..'))

/** A folder without the slash at its end. */
export const folderOf = (folder: string): string => (folder.endsWith('/') ? folder.slice(0, -1) : folder)

function isUnder(path: string, folder: string): Truth {
  if (isOpenPath(path)) return 'undecidable'
  const base = folderOf(folder)
  return truthOf(path === base || path.startsWith(`${base}/`))
}

/** Decides one condition on the arguments of a call. */
export const holds = (condition: Condition, args: unknown): Truth =>
  compareValue(condition.comparison, valueAt(args, condition.tokens))

/** Decides a comparison on a value; `undefined` is an absent one. */
export function compareValue(comparison: Comparison, value: unknown): Truth {
  if (comparison.is === 'exists') return truthOf((value !== undefined) === comparison.expected)
  if (value === undefined) return 'undecidable'
  switch (comparison.is) {
    case 'equals':
      return truthOf(sameJson(value, comparison.value))
    case 'notEquals':
      return truthOf(!sameJson(value, comparison.value))
    case 'in':
      return truthOf(comparison.values.some((one) => sameJson(one, value)))
    case 'notIn':
      return truthOf(!comparison.values.some((one) => sameJson(one, value)))
    case 'like':
    case 'notLike': {
      if (typeof value !== 'string') return 'undecidable'
      const matched = truthOf(globMatches(comparison.glob, value))
      return comparison.is === 'like' ? matched : not(matched)
    }
    case 'under':
      return typeof value === 'string' ? isUnder(value, comparison.folder) : 'undecidable'
    default:
      if (typeof value !== 'number') return 'undecidable'
      if (comparison.is === 'lessThan') return truthOf(value < comparison.bound)
      if (comparison.is === 'atMost') return truthOf(value <= comparison.bound)
      if (comparison.is === 'greaterThan') return truthOf(value > comparison.bound)
      return truthOf(value >= comparison.bound)
  }
}

/** All conditions together: one that fails decides, then one that cannot be decided. */
export function holdAll(conditions: readonly Condition[], args: unknown): Truth {
  let all: Truth = 'yes'
  for (const condition of conditions) {
    const truth = holds(condition, args)
    if (truth === 'no') return 'no'
    if (truth === 'undecidable') all = 'undecidable'
  }
  return all
}
