import { base64Of } from './secret-base64.ts'
import { expressionOf } from './secret-spellings.ts'

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

// Of an encoding, and of a line's end: what is spelt as it is has none.
const mark = /[%\\]/
const broken = /[%\\\r\n]/

/** Makes the finder of some secrets; `instead` stands where one was. */
export function createSecretFinder(values: readonly string[], instead: string): SecretFinder {
  // Longest first: a secret may be a part of another.
  const secrets = [...new Set(values)].filter((secret) => secret !== '').sort((a, b) => b.length - a.length)
  const known = secrets.map((secret) => ({
    secret,
    quoted: JSON.stringify(secret).slice(1, -1),
    spelt: expressionOf(secret),
    // With a plus for each space it is spelt otherwise without a mark of it.
    alwaysTried: secret.includes(' '),
    base64: base64Of(secret),
  }))
  const clean = (text: string): string => {
    let rest = text
    for (const { secret, spelt, alwaysTried, base64 } of known) {
      if (rest.includes(secret)) rest = rest.replaceAll(secret, instead)
      if (alwaysTried || mark.test(rest)) rest = rest.replace(spelt, instead)
      if (base64 && (broken.test(rest) || base64.runs.some((run) => rest.includes(run))))
        rest = rest.replace(base64.spelt(), instead)
    }
    return rest
  }
  const mayHold = (json: string): boolean => {
    if (known.length === 0) return false
    const marked = mark.test(json)
    return known.some(
      ({ quoted, spelt, alwaysTried, base64 }) =>
        json.includes(quoted) ||
        ((marked || alwaysTried) && json.search(spelt) >= 0) ||
        (base64 !== undefined &&
          (base64.runs.some((run) => json.includes(run)) || (marked && json.search(base64.spelt()) >= 0))),
    )
  }
  return { clean, isOne: (text) => secrets.includes(text), mayHold, none: secrets.length === 0 }
}
