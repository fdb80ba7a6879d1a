/**
 * A text, and the backslashes in it. Each JSON (RFC 8259, section 7) around a text doubles its backslashes and adds
 * one, and each percent-encoding (RFC 3986, section 2.1) puts a `25` behind each percent sign: however often that was
 * done, a run of them is read in one step.
 */
export interface Encoded {
  readonly text: string
  /** Where the run of backslashes ends of which one stands at a place; 0 where none does. */
  readonly ends: Int32Array
  /** How many backslashes there are from a place to the end of the run. */
  readonly counts: Int32Array
}

const percent = 0x25
const backslash = 0x5c
const codeOfU = 0x75

/** Where the last of the `25` behind a percent sign ends; 0 where none stands. */
export function behindPercent(text: string, at: number): number {
  if (text.charCodeAt(at) !== percent) return 0
  let end = at + 1
  while (text.charCodeAt(end) === 0x32 && text.charCodeAt(end + 1) === 0x35) end += 2
  return end
}

const digitOf = (code: number): number => {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN
}

/** The number that so many hexadecimal digits say; `NaN` where there are not so many. */
export function hexAt(text: string, at: number, digits: number): number {
  let value = 0
  for (let place = at; place < at + digits; place += 1) value = value * 16 + digitOf(text.charCodeAt(place))
  return value
}

/** The UTF-16 unit in `u005c` and the like, behind the backslashes; `NaN` where there is none. */
export const unitAt = (text: string, at: number): number =>
  text.charCodeAt(at) === codeOfU ? hexAt(text, at + 1, 4) : Number.NaN

/** Finds the backslashes in a text, as they are or percent-encoded. */
export function readEncoded(text: string): Encoded {
  const ends = new Int32Array(text.length + 1)
  const counts = new Int32Array(text.length + 1)
  for (let at = text.length - 1; at >= 0; at -= 1) {
    const code = text.charCodeAt(at)
    if (code !== backslash && code !== percent) continue
    const digits = behindPercent(text, at)
    if (digits > 0 && hexAt(text, digits, 2) !== backslash) continue
    const next = digits > 0 ? digits + 2 : at + 1
    ends[at] = ends[next] || next
    counts[at] = 1 + (counts[next] as number)
  }
  return { text, ends, counts }
}

const controls = new Map(
  [...'nrtfbv'].map((letter, at) => [letter.charCodeAt(0), '\n\r\t\f\b\v'.charCodeAt(at)]),
)
const slash = 0x2f

/** The letter that stands for a control character behind a backslash; `NaN` for what has none. */
export function letterOf(code: number): number {
  if (code >= 0x20) return Number.NaN
  for (const [letter, control] of controls) if (control === code) return letter
  return Number.NaN
}

/** A character of ASCII as it is read, and where it ends. The same one each time. */
export interface Read {
  code: number
  end: number
}

/** Reads the character at a place, however it is spelt; false where a backslash or a percent sign says nothing. */
export function readCharacter({ text, ends }: Encoded, at: number, into: Read): boolean {
  const from = (ends[at] as number) || at
  const code = text.charCodeAt(from)
  const digits = behindPercent(text, from)
  if (digits > 0) {
    into.code = hexAt(text, digits, 2)
    into.end = digits + 2
    return !Number.isNaN(into.code)
  }
  into.code = code
  into.end = from + 1
  if (from === at) return at < text.length
  const unit = unitAt(text, from)
  if (!Number.isNaN(unit)) into.end = from + 5
  into.code = Number.isNaN(unit) ? (controls.get(code) ?? code) : unit
  // Of what need not be escaped, punctuation is: a slash in JSON, others in Markdown.
  return (
    into.end > from + 1 || controls.has(code) || code === slash || /[\s+_-]/.test(String.fromCharCode(code))
  )
}
