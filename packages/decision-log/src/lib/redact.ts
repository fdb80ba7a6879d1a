import type { Json, JsonObject } from './json.ts'
import { createSecretFinder } from './secret-finder.ts'
import { secretTexts } from './secret-texts.ts'
import { isSuspicious } from './suspicion.ts'

/** What stands where something was taken out. */
export const redacted = '[redacted]'

/** Names of members whose values are secrets, whatever they are. Numbers called tokens are counts, and stay. */
export const secretKeys =
  /pass(?:word|wd|phrase|code)|(?:^|[-_ ]|db|pg|user|admin|root|smtp|mail|login|redis|mysql)pass$|pwd$|secret|jwt|token(?:s|[-_ ]?(?:value|id))?$|(?:api|access|account|private|signing|encryption)[-_ ]?key|authorization|cookie|credential|session[-_ ]?id|^auth$|bearer|^otp$|^ssn$|pin[-_ ]?code/i

const counts = /tokens$/i
const argumentsBefore = 4
const longestLine = 1000

/** What to take out of values and texts before they are written. */
export interface RedactionRules {
  readonly keys: readonly RegExp[]
  readonly texts: readonly RegExp[]
  /** Values known to be secret, such as those that a configuration was filled in with. */
  readonly secrets: readonly string[]
}

const globalOf = (pattern: RegExp): RegExp =>
  new RegExp(pattern.source, `${pattern.flags.replaceAll(/[gy]/g, '')}g`)

/** Redacts texts and values by the same rules. */
export interface Redactor {
  text(text: string): string
  value(value: Json): Json
  /** Whether there may be something to redact in a value, by its JSON, and whether it is `marked`. It may err on that side only. */
  suspects(json: string, marked?: boolean): boolean
  /** Whether what `lookAt` finds unmarked need not be suspected. */
  readonly goesByMarks: boolean
}

export function createRedactor(rules: RedactionRules): Redactor {
  const texts = rules.texts.map(globalOf)
  const keys = rules.keys.map((key) => new RegExp(key.source, key.flags.replaceAll(/[gy]/g, '')))
  const secrets = createSecretFinder(rules.secrets, redacted)

  const text = (value: string): string => {
    let clean = secrets.clean(value)
    for (const pattern of texts) {
      pattern.lastIndex = 0
      if (!pattern.test(clean)) continue
      clean = clean.replaceAll(pattern, (...found: unknown[]) => {
        const groups = found.at(-1)
        const keep = typeof groups === 'object' && groups !== null ? (groups as { keep?: string }).keep : ''
        return `${keep ?? ''}${redacted}`
      })
    }
    return clean
  }
  const hide = (name: string, member: Json): Json => {
    if (!counts.test(name) || typeof member === 'string') return redacted
    if (typeof member !== 'object' || member === null) return value(member)
    if (Array.isArray(member)) return member.map((item: Json) => hide(name, item))
    return Object.fromEntries(
      Object.entries(member as JsonObject).map(([inner, item]) => [
        text(inner),
        item === undefined ? item : hide(name, item),
      ]),
    )
  }
  /** An item of a list; one behind an option is looked at as on a command line. */
  const listed = (item: Json, at: number, list: readonly Json[]): Json => {
    const clean = value(item)
    if (typeof item !== 'string' || typeof clean !== 'string' || item.startsWith('-')) return clean
    const option = list[at - 1]
    if (typeof option !== 'string' || !option.startsWith('-')) return clean
    const before = list.slice(Math.max(0, at - argumentsBefore), at).filter((one) => typeof one === 'string')
    const line = before.join(' ').slice(-longestLine)
    return text(`${line} ${item}`) === `${text(line)} ${clean}` ? clean : redacted
  }
  const value = (item: Json): Json => {
    if (typeof item === 'string') return text(item)
    if (typeof item === 'number' && secrets.isOne(String(item))) return redacted
    if (typeof item !== 'object' || item === null) return item
    if (Array.isArray(item)) return item.map(listed)
    const clean: [string, Json][] = []
    for (const [name, member] of Object.entries(item as JsonObject)) {
      if (member === undefined) continue
      const secret = keys.some((key) => key.test(name)) && member !== null && typeof member !== 'boolean'
      clean.push([text(name), secret ? hide(name, member) : value(member)])
    }
    return Object.fromEntries(clean)
  }
  const known = rules.keys.every((key) => key === secretKeys) && rules.texts === secretTexts
  const suspects = (json: string, marked = true): boolean =>
    !known || (marked && isSuspicious(json)) || secrets.mayHold(json)
  return { text, value, suspects, goesByMarks: known && secrets.none }
}

/**
 * Takes out of a text what a log with these options takes out of texts: for what a program says elsewhere, such as to its
 * operator.
 */
export function createTextRedactor({
  texts = secretTexts,
  secrets = [],
}: Partial<Pick<RedactionRules, 'texts' | 'secrets'>> = {}): (text: string) => string {
  return createRedactor({ keys: [], texts, secrets }).text
}

/** The members of a JSON Pointer (RFC 6901, section 4), or `undefined` where it is not one. */
export function pointerTokens(pointer: string): readonly string[] | undefined {
  if (pointer === '') return []
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return undefined
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** A copy of a value in which what the pointer names is taken out; the value itself where it names nothing. */
export function redactPointer(value: Json, tokens: readonly string[]): Json {
  const [token, ...rest] = tokens
  if (token === undefined) return redacted
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const at = /^(?:0|[1-9]\d*)$/.test(token) ? Number(token) : -1
    if (at < 0 || at >= value.length) return value
    return value.map((item: Json, index) => (index === at ? redactPointer(item, rest) : item))
  }
  const members = value as JsonObject
  if (!Object.hasOwn(members, token) || members[token] === undefined) return value
  const inner = redactPointer(members[token], rest)
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => [name, name === token ? inner : member]),
  )
}
