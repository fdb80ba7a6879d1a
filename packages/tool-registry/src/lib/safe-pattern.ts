/** The longest text that a pattern of a server is run on. */
const longest = 12
/** How many ways of matching may have to be gone through before a text is refused. */
const mostWays = 6000

/** How many ways there are to share the characters of a text among so many repetitions. */
function waysToShare(repetitions: number): number {
  let ways = 1
  for (let at = 1; at <= repetitions; at += 1) ways = (ways * (longest + at)) / at
  return ways
}

/**
 * A bound for the ways in which a pattern can match a short text: choices multiply, repetitions share the text.
 * `Infinity` where a group is repeated, looks around, or is referred to, or where the pattern is not understood.
 */
function waysOf(pattern: string): number {
  if (pattern.length > 300 || /\\[1-9k]|\(\?(?!:)/.test(pattern)) return Number.POSITIVE_INFINITY
  // What stands in a class, and what is escaped, is one character.
  const plain = pattern.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]/gsu, 'a').replaceAll('(?:', '(')
  if (/[[\]\\]/.test(plain)) return Number.POSITIVE_INFINITY
  let choices = 1
  let repetitions = 0
  const open: number[] = []
  let alternatives = 1
  for (let at = 0; at < plain.length; at += 1) {
    const character = plain[at]
    if (character === '(') {
      open.push(alternatives)
      alternatives = 1
    } else if (character === '|') alternatives += 1
    else if (character === ')') {
      const next = plain[at + 1]
      if (next === '*' || next === '+' || next === '{') return Number.POSITIVE_INFINITY
      choices *= alternatives
      alternatives = open.pop() ?? Number.POSITIVE_INFINITY
    } else if (character === '?') choices *= 2
    else if (character === '*' || character === '+') repetitions += 1
    else if (character === '{') {
      const count = /^\{\d+(,\d*)?\}/.exec(plain.slice(at))
      if (!count) return Number.POSITIVE_INFINITY
      if (count[1] !== undefined) repetitions += 1
    }
  }
  return choices * alternatives * waysToShare(repetitions)
}

/**
 * Whether a text matches a pattern of a schema, as ECMAScript and unanchored; undefined for a pattern that is no
 * regular expression, or that could take long. A server's pattern is hostile until shown otherwise.
 */
export function testPattern(pattern: string, text: string): boolean | undefined {
  if (text.length > longest || !(waysOf(pattern) <= mostWays)) return undefined
  try {
    return new RegExp(pattern, 'u').test(text)
  } catch {
    return undefined
  }
}
