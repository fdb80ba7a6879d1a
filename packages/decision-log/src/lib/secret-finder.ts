import { type Encoded, readEncoded } from './encodings.ts'
import { type Base64OfSecret, base64Of, digit } from './secret-base64.ts'
import { beginOf, type FindEnd, findEndIn } from './secret-spellings.ts'

/** Finds values that are known to be secret, however they are spelt. */
export interface SecretFinder {
  /** The text with every secret taken out. */
  clean(text: string): string
  /** Whether a text is one of the secrets. */
  isOne(text: string): boolean
  /** Whether a secret may stand in a value, by its JSON. It may err on that side only. */
  mayHold(json: string): boolean
  readonly none: boolean
}

// Of an encoding, and of a line's end, which JSON escapes: what is spelt as it is has none.
const mark = /[%\\]/
const broken = /[%\\\t\n\v\f\r]/

/** The first place at or behind `from` where something begins, and where it ends; `undefined` where nothing does. */
function find(
  text: string,
  from: number,
  begin: RegExp,
  findEnd: () => FindEnd,
): readonly [number, number] | undefined {
  begin.lastIndex = from
  for (let found = begin.exec(text); found; found = begin.exec(text)) {
    const end = findEnd()(found.index)
    if (end > 0) return [found.index, end]
    begin.lastIndex = found.index + 1
  }
  return undefined
}

/** Where a run of backslashes begins of which one stands at a place. */
function beginOfRun({ text, ends }: Encoded, from: number, least: number): number {
  let begin = from
  // Those that are percent-encoded take several characters.
  for (let at = from - 1; at >= least && ends[from] && /[\\%25cC]/.test(text.charAt(at)); at -= 1)
    if (ends[at] === ends[from]) begin = at
  return begin
}

/** The text with what is found replaced, and, of Base64, the digits at both ends that say a part of it. */
function replace(
  text: string,
  begin: RegExp,
  encoded: () => Encoded,
  findEnd: () => FindEnd,
  instead: string,
  inDigits: boolean,
): string {
  let clean = ''
  let kept = 0
  for (let found = find(text, 0, begin, findEnd); found; found = find(text, kept, begin, findEnd)) {
    let [start, end] = found
    if (inDigits) {
      if (start > kept && digit.test(text.charAt(start - 1))) start -= 1
      if (digit.test(text.charAt(end))) end += 1
      for (let padding = 2; padding > 0 && text.charAt(end) === '='; padding -= 1) end += 1
    } else start = beginOfRun(encoded(), start, kept)
    clean += text.slice(kept, start) + instead
    kept = end
  }
  return kept === 0 ? text : clean + text.slice(kept)
}

/** Most texts have nothing in them to compare with. */
function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

interface Known {
  readonly secret: string
  /** In JSON. */
  readonly quoted: string
  readonly begin: RegExp
  /** With a plus for each space it is spelt otherwise without a mark of it. */
  readonly alwaysTried: boolean
  readonly base64: Base64OfSecret | undefined
}

/** Makes the finder of some secrets; `instead` stands where one was. The work for one is linear in the text. */
export function createSecretFinder(values: readonly string[], instead: string): SecretFinder {
  // Longest first: a secret may be a part of another.
  const secrets = [...new Set(values)].filter((secret) => secret !== '').sort((a, b) => b.length - a.length)
  const known: readonly Known[] = secrets.map((secret) => ({
    secret,
    quoted: JSON.stringify(secret).slice(1, -1),
    begin: beginOf(secret),
    alwaysTried: secret.includes(' '),
    base64: base64Of(secret),
  }))
  const clean = (text: string): string => {
    let rest = text
    let encoded: Encoded | undefined
    const read = (): Encoded => {
      if (encoded?.text !== rest) encoded = readEncoded(rest)
      return encoded
    }
    for (const { secret, begin, alwaysTried, base64 } of known) {
      if (rest.includes(secret)) rest = rest.replaceAll(secret, () => instead)
      if (alwaysTried || mark.test(rest))
        rest = replace(
          rest,
          begin,
          read,
          once(() => findEndIn(read(), secret)),
          instead,
          false,
        )
      if (base64 && (broken.test(rest) || base64.runs.some((run) => rest.includes(run))))
        rest = replace(
          rest,
          base64.begin,
          read,
          once(() => base64.findEndIn(read())),
          instead,
          true,
        )
    }
    return rest
  }
  const mayHold = (json: string): boolean => {
    if (known.length === 0) return false
    const marked = mark.test(json)
    const read = once(() => readEncoded(json))
    return known.some(
      ({ secret, quoted, begin, alwaysTried, base64 }) =>
        json.includes(quoted) ||
        ((marked || alwaysTried) &&
          find(
            json,
            0,
            begin,
            once(() => findEndIn(read(), secret)),
          ) !== undefined) ||
        (base64 !== undefined &&
          (base64.runs.some((run) => json.includes(run)) ||
            (marked &&
              find(
                json,
                0,
                base64.begin,
                once(() => base64.findEndIn(read())),
              ) !== undefined))),
    )
  }
  return { clean, isOne: (text) => secrets.includes(text), mayHold, none: secrets.length === 0 }
}
