import { isCanonical } from './canonical.ts'
import { AMPERSAND, COMMA, EQUALS, SLASH } from './characters.ts'
import { fixedEnd } from './literal.ts'
import { type MatchedValue, setOwn } from './matched-values.ts'
import type { ExpressionPart, Part } from './parts.ts'
import { readRun } from './utf8.ts'

type Values = Record<string, MatchedValue>

/** Reads pairs of variables without modifiers in their order, each once. Answers where they end, or -1 for another query. */
function scanPairs(
  { variables, opening, set }: ExpressionPart,
  text: string,
  from: number,
  values: Values,
): number {
  let end = from
  for (let j = 0; j < variables.length; j += 1) {
    const { name, key, explode, prefix } = variables[j]!
    const equals = end + 1 + key.length
    if (text.charCodeAt(equals) !== EQUALS || !text.startsWith(key, end + 1)) continue
    // `{?…}` writes its `?` only where one of its own variables is there.
    if (explode || prefix > 0 || (end === from && j >= opening && opening > 0)) return -1
    const run = readRun(text, equals + 1, set)
    setOwn<MatchedValue>(values, name, run.value)
    end = run.end
    const code = text.charCodeAt(end)
    if (code !== AMPERSAND) return code === COMMA ? -1 : end
  }
  return -1
}

/**
 * One attempt from left to right, in which each expression takes as much as it can (convention C6): the values where
 * that reads all of a text, which is then the preferred reading; `undefined` where it takes a closer look, and `null` where
 * the text does not begin as all that is read by these parts.
 */
export function scan(parts: readonly Part[], text: string): Values | undefined | null {
  const values: Values = {}
  let at = 0
  let hasList = false
  let isLeast = false
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index]!
    if (part.type === 'literal') {
      at = fixedEnd(text, at, part.text, true)
      if (at < 0) return index === 0 ? null : undefined
      continue
    }
    const { type, operator, rule, variables, set } = part
    const { first, named, reserved } = rule
    if (first !== '' && text[at] !== first) continue
    if (type === 'query') {
      at = scanPairs(part, text, at, values)
      if (at < 0) return undefined
      continue
    }
    const { name, explode, prefix } = variables[0]!
    const isSimple = variables.length === 1 && !named && prefix === 0 && (!explode || operator === '/')
    if (!isSimple) return undefined
    let whole = text
    isLeast ||= reserved
    if (reserved && index + 1 < parts.length) {
      const next = parts[index + 1]!
      if (next.type !== 'literal' || next.text.includes('%') || !isCanonical(text)) return undefined
      if (text.startsWith(next.text, at)) continue
      const stop = text.indexOf(next.text, at + 1)
      if (stop < 0) return undefined
      whole = text.slice(0, stop)
    }
    const joint = explode ? SLASH : COMMA
    let run = readRun(whole, at + first.length, set)
    if (whole !== text && run.end < whole.length) return undefined
    let value: MatchedValue = run.value
    if (explode || text.charCodeAt(run.end) === joint) {
      const items = [run.value]
      while (text.charCodeAt(run.end) === joint) {
        run = readRun(text, run.end + 1, set)
        items.push(run.value)
      }
      value = items
      hasList ||= !explode
    }
    if (run.end > at) setOwn<MatchedValue>(values, name, value)
    at = run.end
  }
  // Beside what takes as little as it can, a comma may be its own or a literal's rather than one of a list.
  return at === text.length && !(hasList && isLeast) ? values : undefined
}
