import type { Occurrence } from './reading.ts'

/** What a matched variable holds: a text, a list, or a map. */
export type MatchedValue = string | readonly string[] | { readonly [member: string]: string }

/** Values by variable; a variable that is not there has no entry. */
export type MatchedValues = { readonly [variable: string]: MatchedValue }

/** Decodes once; the text is known to be well-formed. */
export const decodeOnce = (text: string): string => (text.includes('%') ? decodeURIComponent(text) : text)

/** Sets an own property, whatever its name. */
export function setOwn<T>(target: Record<string, T>, name: string, value: T): void {
  if (name === '__proto__')
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })
  else target[name] = value
}

/**
 * The value of one occurrence, whose text may be a list, whose list may be a map; `undefined` for a map that names a
 * member twice.
 */
export function occurrenceValue(
  text: string,
  { form, spans }: Occurrence,
  mayList: boolean,
  mayMap: boolean,
): MatchedValue | undefined {
  const part = (at: number): string => text.slice(spans[at], spans[at + 1])
  if (form === 'text') {
    const only = part(0)
    return mayList && only.includes(',') ? only.split(',').map(decodeOnce) : decodeOnce(only)
  }
  if (form === 'list') {
    const members: string[] = []
    for (let at = 0; at < spans.length; at += 2) members.push(part(at))
    if (mayMap && members.every((member) => member.includes('='))) {
      const map: Record<string, string> = {}
      for (const member of members) {
        const cut = member.indexOf('=')
        setOwn(map, decodeOnce(member.slice(0, cut)), decodeOnce(member.slice(cut + 1)))
      }
      if (Object.keys(map).length === members.length) return map
    }
    return members.map(decodeOnce)
  }
  const map: Record<string, string> = {}
  for (let at = 0; at < spans.length; at += 4) {
    const key = decodeOnce(part(at))
    if (Object.hasOwn(map, key)) return undefined
    setOwn(map, key, decodeOnce(part(at + 2)))
  }
  return map
}

/** The first `count` code points. */
function cut(text: string, count: number): string {
  let at = 0
  for (let left = count; left > 0 && at < text.length; left -= 1) at += text.codePointAt(at)! > 0xffff ? 2 : 1
  return text.slice(0, at)
}

/** The texts of a value as `{v}` writes them, separated by commas. */
const flat = (value: MatchedValue): readonly string[] =>
  typeof value === 'string' ? [value] : Array.isArray(value) ? value : Object.entries(value).flat()

/** Whether two occurrences can come from one value: a text is written like a list of one, a map like a list of both. */
function sameValue(left: MatchedValue, right: MatchedValue): boolean {
  const members = flat(left)
  const others = flat(right)
  return members.length === others.length && members.every((member, at) => member === others[at])
}

/** The text that a value is, or that is all a list holds. */
const textOf = (value: MatchedValue): string | undefined =>
  typeof value === 'string' ? value : Array.isArray(value) && value.length === 1 ? value[0] : undefined

/** One occurrence of a repeated variable; `value` is `undefined` where it is not there. */
export interface Found {
  readonly value: MatchedValue | undefined
  /** What its text can be read as besides. */
  readonly other?: MatchedValue | undefined
  readonly prefix: number
  /** Whether it is exploded: what it reads as a list is none of a map. */
  readonly explode?: boolean
  /** What separates items, where an item may hold it. */
  readonly joint?: string | undefined
  /** Whether its text may be a list or map that was written with commas, as `{+v}` does. */
  readonly keepsCommas: boolean
  /** Whether being absent there can also mean that the value is the empty text. */
  readonly mayBeEmpty: boolean
}

const isMap = (value: MatchedValue): boolean => typeof value === 'object' && !Array.isArray(value)

/** What says most of a value comes first: a map, a list, a text, a text that may be either, the longest prefix. */
function rankOf({ value, prefix, keepsCommas }: Found): number {
  if (prefix > 0) return 20_000 - prefix
  if (typeof value === 'string') return keepsCommas ? 3 : 2
  return Array.isArray(value) ? 1 : 0
}

/** Whether a value can have been written so. */
function fits(
  value: MatchedValue,
  { value: there, other, prefix, explode, joint, keepsCommas, mayBeEmpty }: Found,
): boolean {
  if (there === undefined) return mayBeEmpty && textOf(value) === ''
  if (prefix > 0) return typeof value === 'string' && textOf(there) === cut(value, prefix)
  if (keepsCommas && typeof there === 'string') return flat(value).join(',') === there
  if (explode && joint !== undefined && Array.isArray(there) && !isMap(value))
    return flat(value).join(joint) === there.join(joint)
  return [there, other].some(
    (each) =>
      each !== undefined &&
      (isMap(value) ? isMap(each) || explode !== true : !isMap(each)) &&
      sameValue(value, each),
  )
}

/**
 * The one value that all occurrences of a variable agree on (convention C5): the full one, or the longest prefix.
 * `undefined` where they do not agree, `{}` where the variable is absent.
 */
export function agree(found: readonly Found[]): { readonly value?: MatchedValue } | undefined {
  const present = found.filter(({ value }) => value !== undefined)
  if (present.length === 0) return {}
  const best = present.reduce((left, right) => (rankOf(right) < rankOf(left) ? right : left))
  // An exploded text is written like a list of one; that it is a text shows where it is cut.
  const isCut = found.some((each) => each.prefix > 0)
  const values = [best.value, ...present.map(({ other }) => other)].map((each) =>
    isCut && each !== undefined ? (textOf(each) ?? each) : each,
  )
  const value = values.find((each) => each !== undefined && found.every((one) => fits(each, one)))
  return value === undefined ? undefined : { value }
}
