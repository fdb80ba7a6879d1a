import type { Template } from '@truename/uri-codec'
import { isCanonical } from './canonical.ts'
import { conflictOf, type SetConflict, TemplateConflictError } from './conflicts.ts'
import { createExactUris, type ExactEntry, ExactUriHit, foldScheme, schemeCase } from './exact-uris.ts'
import { badEscapeAt, type Expectation, type Explanation, explainRead } from './explain.ts'
import { noCounts, toMetrics } from './metrics.ts'
import { overlap } from './overlap.ts'
import { programOf } from './program.ts'
import { checkExpressions, checkUri, isSpelledRight, spellRight } from './read-text.ts'
import { type Candidate, SetHit, valuesAt } from './set-hit.ts'
import type { SetMatch, TemplateSet, TemplateSetOptions } from './set-types.ts'
import { compareShape, compareSpecificity } from './specificity.ts'
import { createTemplateIndex, type TemplateIndex } from './template-index.ts'
import { matchProgram, noDeviations, TemplateMatch, tolerantMatches } from './template-match.ts'
import { parseLeniently, toTemplate } from './to-template.ts'

const none: readonly never[] = []
// Where things stand in the slots of a template.
const DATA = 1
const NAMES = 2
const HITS = 3
const SLOT = 4
/** A scheme in lower case, and nothing that is spelled in two ways. */
const ordinary = /^[a-z\d+.-]*:[!#$&-;=?-[\]_a-z~]*$/
const hasCapitals = (uri: string): boolean => foldScheme(uri) !== uri

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
  const live = (): number[] => [...slots.keys()].filter((id) => id % SLOT === 0 && slots[id] !== undefined)
  let removed = 0
  let sorted: readonly number[] | undefined
  /** How many templates have a scheme with capitals, and how many exact URIs had one. */
  let foldable = 0

  const templateOf = (id: number): Template => slots[id] as Template
  const dataOf = (id: number): T => slots[id + DATA] as T
  const hitsOf = (id: number): number => slots[id + HITS] as number
  const foldedOf = (id: number): Template => toTemplate(foldScheme(templateOf(id).source))
  function filled(tolerant: boolean, of: (id: number) => Template): TemplateIndex {
    const index = createTemplateIndex({ tolerant, ignoreUnknown: unknown === 'ignore' }, limits?.steps)
    for (const id of live()) index.insert(of(id), id)
    return index
  }
  let strictIndex = filled(false, templateOf)
  const byTemplate = (left: number, right: number): number =>
    compareSpecificity(templateOf(left), templateOf(right))
  const inOrder = (): readonly number[] => {
    sorted ??= live().sort(byTemplate)
    return sorted
  }
  /** What is tolerant, and what has its scheme in lower case: most URIs match strictly and with the scheme as written. */
  const others = new Map<(id: number) => Template, TemplateIndex>()
  function other(of: (id: number) => Template): TemplateIndex {
    const index = others.get(of) ?? filled(of === templateOf, of)
    others.set(of, index)
    return index
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

  /** What templates of an index match, most specific first; `count` is what a walk has found. */
  function matchesOf(
    index: TemplateIndex,
    uri: string,
    of: (id: number) => readonly (TemplateMatch | undefined)[],
    count = index.walk(spellRight(uri)),
  ): readonly Candidate[] {
    const found: Candidate[] = []
    const ids = index.hits.slice(0, count)
    for (const id of count > 1 ? new Set(ids) : ids)
      for (const match of of(id)) if (match !== undefined) found.push({ id, match })
    return found.sort((left, right) => byTemplate(left.id, right.id))
  }

  /** All strict matches; `count` is what a walk has found. */
  const strictMatches = (uri: string, count?: number): readonly Candidate[] =>
    matchesOf(
      strictIndex,
      uri,
      (id) => [matchProgram(programOf(templateOf(id), false), uri, unknown, limits)],
      // A literal, and what is ignored, may stand there as it is: the index knows both as they are spelled right.
      isSpelledRight(uri) ? count : undefined,
    )

  /** Matches that only the case of the scheme keeps from being strict ones (RFC 3986 section 3.1). */
  function foldedMatches(uri: string): readonly Candidate[] {
    if (foldable === 0 && !hasCapitals(uri)) return none
    const text = foldScheme(uri)
    return matchesOf(other(foldedOf), text, (id) => {
      const match = matchProgram(programOf(foldedOf(id), false), text, unknown, limits)
      if (match === undefined) return none
      const { values, deviations, found } = match
      return [new TemplateMatch(templateOf(id), uri, values, [schemeCase, ...deviations], found)]
    })
  }

  const tolerantMatchesOf = (uri: string, most: number): readonly Candidate[] =>
    matchesOf(other(templateOf), uri, (id) => tolerantMatches(templateOf(id), uri, unknown, limits, most))

  function toHit(candidate: Candidate, all: readonly Candidate[], uri: string): SetHit<T> {
    const { id, match } = candidate
    const { deviations, found } = match.known
    const tied = all
      .filter((each) => each.id !== id && compareShape(templateOf(each.id), templateOf(id)) === 0)
      .map((each) => dataOf(each.id))
    return new SetHit(templateOf(id), dataOf(id), uri, match.values, deviations, tied, found)
  }

  const toHits = (found: readonly Candidate[], uri: string): SetHit<T>[] =>
    found.map((candidate) => toHit(candidate, found, uri))

  function hitExact(listed: readonly ExactEntry<T>[], uri: string): SetMatch<T> {
    listed[0]!.hits += 1
    return new ExactUriHit(listed[0]!, uri, listed)
  }

  function find(uri: string): SetMatch<T> | undefined {
    const listed = exact.find(uri)
    if (listed.length > 0) return hitExact(listed, uri)
    const count = strictIndex.walk(uri)
    // Nothing else can match what is spelled right, has a scheme in lower case, and was seen by no template.
    if (count === 0 && foldable === 0 && mode === 'strict' && ordinary.test(uri)) return undefined
    const settled = count === 1 ? settledHit(uri) : undefined
    if (settled !== undefined) return settled
    const [folded, answered] = answers(uri, count)
    if (folded.length > 0) return hitExact(folded, uri)
    let found = answered
    if (found.length === 0 && mode === 'tolerant') {
      found = tolerantMatchesOf(uri, 2)
      if (found.length > 1) return undefined
    }
    const [best] = found
    if (best === undefined) return undefined
    slots[best.id + HITS] = hitsOf(best.id) + 1
    return toHit(best, found, uri)
  }

  /** The exact URIs and the templates that match strictly, or, where none do, but for the case of the scheme. */
  function answers(
    uri: string,
    count?: number,
  ): readonly [listed: readonly ExactEntry<T>[], found: readonly Candidate[]] {
    const listed = exact.find(uri)
    const found = strictMatches(uri, count)
    return listed.length + found.length > 0 ? [listed, found] : [exact.findFolded(uri), foldedMatches(uri)]
  }

  function all(uri: string): SetMatch<T>[] {
    checkUri(uri, limits)
    const [listed, strict] = answers(uri)
    let found = strict
    if (listed.length + found.length === 0 && mode === 'tolerant') found = tolerantMatchesOf(uri, 16)
    return [...listed.map((entry) => new ExactUriHit(entry, uri, listed)), ...toHits(found, uri)]
  }

  /** What may conflict with a template. */
  const rivalsOf = (id: number): ReadonlySet<number> =>
    new Set([
      ...(mode === 'tolerant' ? other(templateOf) : strictIndex).rivals(templateOf(id)),
      ...(foldable > 0 ? other(foldedOf).rivals(foldedOf(id)) : none),
    ])
  function conflict(left: number, right: number): SetConflict | undefined {
    const found = overlap(templateOf(left), templateOf(right), { mode, limits })
    // A scheme in another case is the same scheme (RFC 3986 section 3.1).
    const either = found ?? (foldable > 0 ? overlap(foldedOf(left), foldedOf(right), { limits }) : undefined)
    return conflictOf(templateOf(left), templateOf(right), either)
  }
  function remove(id: number): void {
    sorted = undefined
    if (hasCapitals(templateOf(id).source)) foldable -= 1
    strictIndex.remove(templateOf(id), id)
    for (const [of, index] of others) index.remove(of(id), id)
    slots.fill(undefined, id, id + SLOT)
    free.push(id)
    removed += 1
    if (removed < slots.length / SLOT + 100) return
    // What was removed leaves its place behind.
    removed = 0
    strictIndex = filled(false, templateOf)
    others.clear()
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
      if (hasCapitals(parsed.source)) foldable += 1
      sorted = undefined
      for (const [of, index] of others) index.insert(of(id), id)
      if (equal === 'refuse')
        for (const rival of rivalsOf(id)) {
          const other = templateOf(rival)
          const found = rival !== id && compareShape(other, parsed) === 0 ? conflict(id, rival) : undefined
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
      if (hasCapitals(uri)) foldable += 1
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
    explain(uri: string, expected: Expectation = {}): Explanation {
      checkUri(uri, limits)
      const [listed, strict] = answers(uri)
      // What was meant decides among all that can be read, not among the first.
      const most = (expected.values ?? expected.name) === undefined ? 2 : 16
      let found = strict
      for (const text of [uri, foldScheme(uri)]) if (found.length === 0) found = tolerantMatchesOf(text, most)
      return explainRead({
        uri,
        readings: toHits(found, uri),
        isMatch: strict.length > 0,
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
