import type { Template } from '@truename/uri-codec'
import { isCanonical } from './canonical.ts'
import { conflictOf, type SetConflict, TemplateConflictError } from './conflicts.ts'
import { createExactUris, type ExactEntry, foldScheme, toExactHit } from './exact-uris.ts'
import { badEscapeAt, type Expectation, type Explanation, explainRead } from './explain.ts'
import { noCounts, toMetrics } from './metrics.ts'
import { overlap } from './overlap.ts'
import { programOf } from './program.ts'
import { checkExpressions, checkUri, isSpelledRight, readText, spellRight } from './read-text.ts'
import { type Candidate, SetHit, toCandidate, valuesAt } from './set-hit.ts'
import type { SetMatch, TemplateSet, TemplateSetOptions } from './set-types.ts'
import { compareShape, compareSpecificity } from './specificity.ts'
import { createTemplateIndex, type TemplateIndex } from './template-index.ts'
import { matchProgram, noDeviations, tolerantMatches, toMatch } from './template-match.ts'
import { parseLeniently, toTemplate } from './to-template.ts'

const none: readonly never[] = []
// Where things stand in the slots of a template.
const DATA = 1
const NAMES = 2
const HITS = 3
const SLOT = 4
/** A scheme in lower case, and nothing that is spelled in two ways. */
const ordinary = /^[a-z\d+.-]*:[!#$&-;=?-[\]_a-z~]*$/
const capitalInScheme = /^[a-z0-9+.-]*[A-Z][A-Za-z0-9+.-]*:/

/** Makes an empty set. What its methods do and throw is said at {@link TemplateSet}. */
export function createTemplateSet<T>(options: TemplateSetOptions = {}): TemplateSet<T> {
  const { limits, query, mode = 'strict', equal = 'report' } = options
  const unknown = query?.unknown ?? 'refuse'
  const exact = createExactUris<T>()
  const counts = noCounts()
  /**
   * Of each template it, its data, its variables where places are all there is to know of a match, and its hits. A
   * template goes by where these stand in this list: a match looks at one place in memory.
   */
  const slots: unknown[] = []
  const free: number[] = []
  function live(): number[] {
    const ids: number[] = []
    for (let id = 0; id < slots.length; id += SLOT) if (slots[id] !== undefined) ids.push(id)
    return ids
  }
  let removed = 0
  let sorted: readonly number[] | undefined
  /** How many templates have a scheme with capitals, and how many exact URIs had one. */
  let foldable = 0

  const newIndex = (tolerant: boolean): TemplateIndex =>
    createTemplateIndex({ tolerant, ignoreUnknown: unknown === 'ignore' }, limits?.steps)
  let strictIndex = newIndex(false)
  // Made when they are first needed: most URIs match strictly and with the scheme as written.
  let tolerantIndex: TemplateIndex | undefined
  let foldedIndex: TemplateIndex | undefined
  const templateOf = (id: number): Template => slots[id] as Template
  const dataOf = (id: number): T => slots[id + DATA] as T
  const hitsOf = (id: number): number => slots[id + HITS] as number
  const foldedOf = (id: number): Template => toTemplate(foldScheme(templateOf(id).source))
  const filled = (tolerant: boolean, of: (id: number) => Template): TemplateIndex => {
    const index = newIndex(tolerant)
    for (const id of live()) index.insert(of(id), id)
    return index
  }
  const inOrder = (): readonly number[] => {
    sorted ??= live().sort((left, right) => compareSpecificity(templateOf(left), templateOf(right)))
    return sorted
  }
  const tolerantly = (): TemplateIndex => {
    tolerantIndex ??= filled(true, templateOf)
    return tolerantIndex
  }
  const folded = (): TemplateIndex => {
    foldedIndex ??= filled(false, foldedOf)
    return foldedIndex
  }

  /** The templates that may match a text, each once; `count` is what a walk has found. */
  const candidates = (index: TemplateIndex, text: string, count = index.walk(text)): Iterable<number> => {
    const some = index.hits.slice(0, count)
    return count < 2 ? some : new Set(some)
  }

  /** By far the most common match: the walk found one template, and has seen all there is to it. */
  function settledHit(uri: string): SetMatch<T> | undefined {
    const id = strictIndex.hits[0]!
    const names = slots[id + NAMES] as readonly string[] | undefined
    const isWhole = strictIndex.isWhole()
    if (names === undefined || !(isWhole || isCanonical(uri))) return undefined
    slots[id + HITS] = hitsOf(id) + 1
    const values = valuesAt(names, uri, strictIndex.spans, isWhole)
    return new SetHit(templateOf(id), dataOf(id), uri, values, noDeviations, none)
  }

  /** All strict matches, in no order; `count` is what a walk has found. */
  function strictMatches(uri: string, count = strictIndex.walk(uri)): readonly Candidate[] {
    const matchesOf = (some: Iterable<number>): Candidate[] => {
      const found: Candidate[] = []
      for (const id of some) {
        const match = matchProgram(programOf(templateOf(id), false), uri, unknown, limits)
        if (match !== undefined) found.push(toCandidate(id, match))
      }
      return found
    }
    const found = count > 0 && isCanonical(uri) ? matchesOf(candidates(strictIndex, uri, count)) : none
    return found.length > 0 || isSpelledRight(uri)
      ? found
      : matchesOf(candidates(strictIndex, spellRight(uri)))
  }

  /** Matches that only the case of the scheme keeps from being strict ones (RFC 3986 section 3.1). */
  function foldedMatches(uri: string): readonly Candidate[] {
    if (foldable === 0 && !capitalInScheme.test(uri)) return none
    const text = foldScheme(uri)
    return [...candidates(folded(), spellRight(text))].flatMap((id) => {
      const found = readText(programOf(foldedOf(id), false), text, unknown, limits)
      if (found === undefined) return []
      const { values, deviations } = toMatch(found, uri)
      const schemeCase = { code: 'scheme-case', index: 0, count: 1 } as const
      return [{ id, values, deviations: [schemeCase, ...deviations], found }]
    })
  }

  function tolerantCandidates(uri: string, most: number): Candidate[] {
    return [...candidates(tolerantly(), spellRight(uri))]
      .sort((left, right) => compareSpecificity(templateOf(left), templateOf(right)))
      .flatMap((id) =>
        tolerantMatches(templateOf(id), uri, unknown, limits, most).map((match) => toCandidate(id, match)),
      )
  }

  function toHit(candidate: Candidate, all: readonly Candidate[], uri: string): SetHit<T> {
    const { id, values, deviations, found } = candidate
    const tied =
      all.length === 1
        ? none
        : all.flatMap((other) =>
            other.id !== id && compareShape(templateOf(other.id), templateOf(id)) === 0
              ? [dataOf(other.id)]
              : [],
          )
    return new SetHit(templateOf(id), dataOf(id), uri, values, deviations, tied, found)
  }

  const best = (found: readonly Candidate[]): Candidate | undefined => {
    let first = found[0]
    for (let at = 1; at < found.length; at += 1)
      if (compareSpecificity(templateOf(found[at]!.id), templateOf(first!.id)) < 0) first = found[at]
    return first
  }

  function hitExact(listed: readonly ExactEntry<T>[], uri: string): SetMatch<T> {
    listed[0]!.hits += 1
    return toExactHit(listed[0]!, uri, listed)
  }

  function find(uri: string): SetMatch<T> | undefined {
    const listed = exact.find(uri)
    if (listed.length > 0) return hitExact(listed, uri)
    const count = strictIndex.walk(uri)
    // Nothing else can match what is spelled right, has a scheme in lower case, and was seen by no template.
    if (count === 0 && foldable === 0 && mode === 'strict' && ordinary.test(uri)) return undefined
    const settled = count === 1 ? settledHit(uri) : undefined
    if (settled !== undefined) return settled
    let found = strictMatches(uri, count)
    if (found.length === 0) {
      const folded = exact.findFolded(uri)
      if (folded.length > 0) return hitExact(folded, uri)
      found = foldedMatches(uri)
    }
    if (found.length === 0 && mode === 'tolerant') {
      found = tolerantCandidates(uri, 2)
      if (found.length > 1) return undefined
    }
    const first = best(found)
    if (first === undefined) return undefined
    slots[first.id + HITS] = hitsOf(first.id) + 1
    return toHit(first, found, uri)
  }

  /** The exact URIs and the templates that match strictly, or, where none do, but for the case of the scheme. */
  function answers(uri: string): readonly [listed: readonly ExactEntry<T>[], found: readonly Candidate[]] {
    const listed = exact.find(uri)
    const found = strictMatches(uri)
    return listed.length + found.length > 0 ? [listed, found] : [exact.findFolded(uri), foldedMatches(uri)]
  }

  function all(uri: string): SetMatch<T>[] {
    checkUri(uri, limits)
    const [listed, strict] = answers(uri)
    let found = strict
    if (listed.length + found.length === 0 && mode === 'tolerant') found = tolerantCandidates(uri, 16)
    const hits = found
      .map((candidate) => toHit(candidate, found, uri))
      .sort((left, right) => compareSpecificity(left.template, right.template))
    return [...listed.map((entry) => toExactHit(entry, uri, listed)), ...hits]
  }

  /** What may conflict with a template. */
  const rivalsOf = (id: number): ReadonlySet<number> =>
    new Set([
      ...(mode === 'tolerant' ? tolerantly() : strictIndex).rivals(templateOf(id), id),
      ...(foldable > 0 ? folded().rivals(foldedOf(id), id) : none),
    ])
  function conflict(left: number, right: number): SetConflict | undefined {
    const bounded = limits === undefined ? {} : { limits }
    const found = overlap(templateOf(left), templateOf(right), { mode, ...bounded })
    // A scheme in another case is the same scheme (RFC 3986 section 3.1).
    const either = found ?? (foldable > 0 ? overlap(foldedOf(left), foldedOf(right), bounded) : undefined)
    return conflictOf(templateOf(left), templateOf(right), either)
  }
  function remove(id: number): void {
    sorted = undefined
    if (capitalInScheme.test(templateOf(id).source)) foldable -= 1
    strictIndex.remove(templateOf(id), id)
    tolerantIndex?.remove(templateOf(id), id)
    foldedIndex?.remove(foldedOf(id), id)
    slots.fill(undefined, id, id + SLOT)
    free.push(id)
    removed += 1
    if (removed < slots.length / SLOT + 100) return
    // What was removed leaves its place behind.
    removed = 0
    strictIndex = filled(false, templateOf)
    tolerantIndex = undefined
    foldedIndex = undefined
  }

  return {
    add(template, itsData) {
      const parsed = typeof template === 'string' ? parseLeniently(template) : template
      checkExpressions(parsed, limits)
      const id = free.pop() ?? slots.length
      slots[id] = parsed
      slots[id + DATA] = itsData
      const names = strictIndex.insert(parsed, id)
      // How a URI of such a template deviates has to be looked for.
      slots[id + NAMES] = isCanonical(parsed.source) ? names : undefined
      slots[id + HITS] = 0
      if (capitalInScheme.test(parsed.source)) foldable += 1
      sorted = undefined
      tolerantIndex?.insert(parsed, id)
      foldedIndex?.insert(foldedOf(id), id)
      if (equal === 'refuse')
        for (const rival of rivalsOf(id)) {
          const other = templateOf(rival)
          const found = compareShape(other, parsed) === 0 ? conflict(id, rival) : undefined
          if (found === undefined) continue
          remove(id)
          throw new TemplateConflictError(parsed.source, other.source, found.uri)
        }
      let present = true
      return () => {
        if (present) remove(id)
        present = false
      }
    },
    addExact(uri, itsData) {
      const [rival] = equal === 'refuse' ? exact.findFolded(uri) : none
      if (rival !== undefined) throw new TemplateConflictError(uri, rival.uri, uri)
      if (capitalInScheme.test(uri)) foldable += 1
      return exact.add({ uri, data: itsData, hits: 0 })
    },
    match(uri) {
      checkUri(uri, limits)
      counts.attempts += 1
      const found = find(uri)
      if (found === undefined) {
        counts.noMatch += 1
        if (badEscapeAt(uri) >= 0) counts.badEscapes += 1
      }
      return found
    },
    matchAll: all,
    explain(uri: string, expected?: Expectation): Explanation {
      checkUri(uri, limits)
      const [listed, strict] = answers(uri)
      // What was meant decides among all that can be read, not among the first.
      const tolerant = strict.length > 0 ? [] : tolerantCandidates(uri, expected === undefined ? 2 : 16)
      return explainRead({
        uri,
        strict: strict
          .map((candidate) => toHit(candidate, strict, uri))
          .sort((left, right) => compareSpecificity(left.template, right.template)),
        tolerant: tolerant.map((candidate) => toHit(candidate, tolerant, uri)),
        templates: inOrder().map(templateOf),
        exact: listed.length > 0,
        expected,
      })
    },
    conflicts() {
      const found: SetConflict[] = []
      const done = new Set<number>()
      for (const id of inOrder()) {
        done.add(id)
        for (const rival of rivalsOf(id)) {
          const both = done.has(rival) ? undefined : conflict(id, rival)
          if (both !== undefined) found.push(both)
        }
      }
      return found
    },
    metrics: () =>
      toMetrics(counts, [
        ...[...exact.entries()].flat().map((entry) => ({ template: entry.uri, hits: entry.hits })),
        ...inOrder().map((id) => ({ template: templateOf(id).source, hits: hitsOf(id) })),
      ]),
    reportLocated(found) {
      if (found) counts.located += 1
      else counts.notLocated += 1
    },
    get templates() {
      return inOrder().map(templateOf)
    },
  }
}
