import { canonicalText, isCanonical } from './canonical.ts'
import { graphOf } from './graph.ts'
import { defaultLimits, type MatchLimits, stepCounter } from './limits.ts'
import type { Found } from './pieces.ts'
import type { Program } from './program.ts'
import { readPath } from './read-path.ts'
import { walk } from './walk.ts'

/** How a text is read. */
export interface ReadOptions {
  readonly query?: {
    /** Whether query parameters that the template does not name refuse the match (the default) or are ignored. */
    readonly unknown?: 'refuse' | 'ignore'
  }
  readonly limits?: MatchLimits | undefined
}

const refusing = ['none'] as const
/** What ignores nothing comes first. */
const ignoringMore = ['none', 'others', 'all'] as const

/** Calls `accept` with the readings of a text, the preferred first, until it answers true. */
export function readAll(
  program: Program,
  text: string,
  { query, limits }: ReadOptions,
  accept: (found: Found) => boolean,
  step = stepCounter(limits?.steps ?? defaultLimits.steps),
): void {
  const { parts, repeats, graphs } = program
  let isFound = false
  // What takes texts for texts comes first; lists and maps have a character that is no part of a text.
  for (const ignoring of query?.unknown === 'ignore' ? ignoringMore : refusing)
    for (const composite of /[,;=]/.test(text) ? [false, true] : [false]) {
      const key = `${ignoring} ${composite}`
      const graph = graphs.get(key) ?? graphOf(parts, { composite, ignoring })
      graphs.set(key, graph)
      walk(graph, text, repeats, step, (last, reached, mustBeInOrder) => {
        const isWhole = reached > parts.length
        if (!isWhole && !repeats) return true
        const found = readPath(program, text, last, reached, ignoring !== 'none')
        if (found === undefined || (mustBeInOrder && repeats && !found.inOrder)) return false
        if (!isWhole) return true
        isFound = true
        return accept({ program, ...found })
      })
      if (isFound) return
    }
}

/** Readings of a URI that differ in their values, the preferred first, at most `most`. */
export function readText(program: Program, uri: string, options: ReadOptions, most: number): Found[] {
  const found = new Map<string, Found>()
  readAll(program, uri, options, (each) => {
    const key = most > 1 ? JSON.stringify(each.values) : ''
    if (!found.has(key)) found.set(key, each)
    return found.size >= most
  })
  return [...found.values()]
}

const unencoded = /[^!#-;=?-[\]_a-z~]/
const unencodedPoints = /[^!#-;=?-[\]_a-z~\p{Cs}]/gu

/** The canonical spelling of a URI, with what stands in it unencoded encoded. */
export const spellRight = (uri: string): string =>
  canonicalText(uri).replace(unencodedPoints, encodeURIComponent)

/** Whether a URI is spelled as expansion spells it, apart from the order of its query. */
export const isSpelledRight = (uri: string): boolean =>
  !unencoded.test(uri) && (!uri.includes('%') || isCanonical(uri))
