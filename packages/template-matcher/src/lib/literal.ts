import { canonicalText } from './canonical.ts'
import { isUriText } from './characters.ts'
import { PERCENT } from './utf8.ts'

/**
 * Where a fixed text ends that stands at `at`, or -1. Its triplets may be spelled otherwise; and in a `literal`
 * characters that should have been percent-encoded may stand there unencoded: what a template says itself is known,
 * however a client writes it. `isPlain`: the text has neither.
 */
export function fixedEnd(
  text: string,
  at: number,
  fixed: string,
  isLiteral: boolean,
  isPlain = false,
): number {
  // `startsWith` is slower than this.
  if (text.slice(at, at + fixed.length).indexOf(fixed) === 0) return at + fixed.length
  if (isPlain) return -1
  let place = at
  for (let from = 0; from < fixed.length; ) {
    const code = text.charCodeAt(place)
    let given = text.charAt(place)
    let due = given
    if (code === PERCENT) {
      given = text.slice(place, place + 3)
      due = canonicalText(given)
    } else if (isLiteral && !isUriText(code)) {
      given = String.fromCodePoint(text.codePointAt(place) ?? 0)
      due = /\p{Cs}/u.test(given) ? '' : encodeURIComponent(given)
    }
    if (due === '' || !fixed.startsWith(due, from)) return -1
    place += given.length
    from += due.length
  }
  return place
}
