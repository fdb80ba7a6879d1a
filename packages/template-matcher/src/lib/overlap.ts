import type { Template } from '@truename/uri-codec'
import { defaultLimits, type MatchLimits } from './limits.ts'
import type { Match } from './match.ts'
import { matchAutomaton } from './match-automaton.ts'
import { matchReadings } from './match-template.ts'
import { areApart } from './outline.ts'
import { type Product, shortestWord } from './product.ts'
import { type Program, programOf } from './program.ts'
import { stepCounter } from './read-text.ts'
import { searchWords } from './search-words.ts'
import { toTemplate } from './to-template.ts'

/** Two templates that match one URI. */
export interface Overlap {
  /** A shortest URI that both match. */
  readonly uri: string
  /** How the first template reads it; in tolerant mode one of its readings. */
  readonly first: Match
  readonly second: Match
}

/** How templates are compared. */
export interface OverlapOptions {
  readonly mode?: 'strict' | 'tolerant'
  readonly limits?: Pick<MatchLimits, 'steps'> | undefined
}

/** How many steps are spent on further texts where repeated variables decide. */
const wordsBound = 300_000

/** The keys that come more than once in a text, whatever separates pairs there; `;` writes some without a `=`. */
function repeatedKeys(uri: string): string[] {
  const keys = [...uri.matchAll(/([?&;,./#]|^)([^?&;,./#=]*)(=?)/g)].flatMap(([, separator, key, equals]) =>
    equals === '' && separator !== ';' ? [] : key!,
  )
  return keys.filter((key, at) => keys.indexOf(key) < at)
}

function literalPrefix(program: Program): string {
  const [part] = program.parts
  return part?.type === 'literal' ? part.text : ''
}

/**
 * Decides whether some URI is matched by both templates, and gives a shortest one with both readings, or `undefined`.
 * In tolerant mode a template also matches what clients write that do not encode.
 *
 * The answer is exact but for templates that use a variable more than once: there candidates are tried within a bound,
 * and beyond it the answer is `'undecided'`.
 *
 * @throws {MatchLimitError} where this takes more steps than the limits allow
 */
export function overlap(
  first: Template | string,
  second: Template | string,
  options: OverlapOptions = {},
): Overlap | 'undecided' | undefined {
  const mode = options.mode ?? 'strict'
  const step = stepCounter(options.limits?.steps ?? defaultLimits.steps)
  const left = programOf(toTemplate(first), mode === 'tolerant')
  const right = programOf(toTemplate(second), mode === 'tolerant')
  const start = literalPrefix(left)
  const other = literalPrefix(right)
  if (!start.startsWith(other) && !other.startsWith(start)) return undefined
  if (areApart(left, right)) return undefined
  const read = (uri: string): Overlap | undefined => {
    const [one] = matchReadings(left.template, uri, { mode })
    const [other] = matchReadings(right.template, uri, { mode })
    return one && other && { uri, first: one, second: other }
  }
  const repeats = left.repeated.size + right.repeated.size > 0
  const counted = new Set<string>()
  for (;;) {
    const product: Product = {
      left: matchAutomaton(left, counted),
      right: matchAutomaton(right, counted),
      self: false,
      step,
    }
    const uri = shortestWord(product)?.text
    if (uri === undefined) return undefined
    const found = read(uri)
    if (found !== undefined) return found
    // The automata let keys come too often: see to the ones that did, and look again.
    const keys = repeatedKeys(uri).filter((key) => !counted.has(key))
    for (const key of keys) counted.add(key)
    if (keys.length > 0 && !repeats) continue
    let confirmed: Overlap | undefined
    const outcome = searchWords(product, wordsBound, (word) => {
      confirmed = read(word)
      return confirmed !== undefined
    })
    return outcome === 'none' ? undefined : (confirmed ?? 'undecided')
  }
}
