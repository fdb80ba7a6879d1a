import type { Template } from '@truename/uri-codec'
import { isCanonical } from './canonical.ts'
import { conflictOf, type SetConflict, TemplateConflictError } from './conflicts.ts'
import { createExactUris, type ExactEntry, foldScheme, toExactHit } from './exact-uris.ts'
import { badEscapeAt, type Expectation, type Explanation, explainRead } from './explain.ts'
import { noCounts, toMetrics } from './metrics.ts'
import { programOf } from './program.ts'
import { readSpans } from './read-once.ts'
import { checkExpressions, checkUri, isSpelledRight, readText, spellRight } from './read-text.ts'
import { type Candidate, type Entry, SetHit, toCandidate } from './set-hit.ts'
import type { SetMatch, TemplateSet, TemplateSetOptions } from './set-types.ts'
import { compareShape, compareSpecificity } from './specificity.ts'
import { createTemplateIndex, settledNames, type TemplateIndex } from './template-index.ts'
import { matchProgram, noDeviations, tolerantMatches, toMatch } from './template-match.ts'
import { parseLeniently, toTemplate } from './to-template.ts'

const none: readonly never[] = []
const capitalInScheme = /^[a-z0-9+.-]*[A-Z][A-Za-z0-9+.-]*:/

/** Makes an empty set. What its methods do and throw is said at {@link TemplateSet}. */
export function createTemplateSet<T>(options: TemplateSetOptions = {}): TemplateSet<T> {
  const { limits, query, mode = 'strict', equal = 'report' } = options
  const unknown = query?.unknown ?? 'refuse'
  const entries = new Set<Entry<T>>()
  const exact = createExactUris<T>()
  const counts = noCounts()
  let sorted: readonly Entry<T>[] | undefined
  /** How many templates have a scheme with capitals. */
  let foldable = 0
  const isFoldable = (uri: string): boolean => foldable > 0 || capitalInScheme.test(uri)

  const newIndex = (tolerant: boolean): TemplateIndex<Entry<T>> =>
    createTemplateIndex({ tolerant, ignoreUnknown: unknown === 'ignore' })
  const strictIndex = newIndex(false)
  // Made when they are first needed: most URIs match strictly and with the scheme as written.
  let tolerantIndex: TemplateIndex<Entry<T>> | undefined
  let foldedIndex: TemplateIndex<Entry<T>> | undefined
  const foldedOf = ({ template }: Entry<T>): Template => toTemplate(foldScheme(template.source))
  const filled = (tolerant: boolean, of: (entry: Entry<T>) => Template): TemplateIndex<Entry<T>> => {
    const index = newIndex(tolerant)
    for (const entry of entries) index.insert(of(entry), entry)
    return index
  }
  const inOrder = (): readonly Entry<T>[] => {
    sorted ??= [...entries].sort((left, right) => compareSpecificity(left.template, right.template))
    return sorted
  }
  const tolerantly = (): TemplateIndex<Entry<T>> => {
    tolerantIndex ??= filled(true, ({ template }) => template)
    return tolerantIndex
  }

  const walked = (index: TemplateIndex<Entry<T>>, text: string): readonly Entry<T>[] => {
    const count = index.walk(text)
    return index.hits.slice(0, count)
  }
  /** Entries that may match a text, each once. */
  const candidates = (index: TemplateIndex<Entry<T>>, text: string): ReadonlySet<Entry<T>> =>
    new Set(walked(index, text))

  /** By far the most common match: no exact URI, one template, and the walk has seen all there is to it. */
  function settledHit(uri: string): SetMatch<T> | 'none' | undefined {
    const isPlain = !uri.includes('%')
    if (!exact.isEmpty() || !(isPlain || isCanonical(uri))) return undefined
    const count = strictIndex.walk(uri)
    // Nothing else can match what is spelled right, has a scheme in lower case, and was seen by no template.
    if (count === 0) return mode === 'strict' && !isFoldable(uri) && isSpelledRight(uri) ? 'none' : undefined
    if (count !== 1) return undefined
    const entry = strictIndex.hits[0]!
    if (entry.names === undefined) return undefined
    entry.hits += 1
    return new SetHit(
      entry,
      uri,
      readSpans(entry.names, uri, strictIndex.spans, isPlain),
      noDeviations,
      none,
      undefined,
    )
  }

  /** All strict matches, in no order. */
  function strictMatches(uri: string): readonly Candidate<T>[] {
    const isCanonicalUri = !uri.includes('%') || isCanonical(uri)
    const count = isCanonicalUri ? strictIndex.walk(uri) : 0
    const matchesOf = (some: Iterable<Entry<T>>): Candidate<T>[] => {
      const found: Candidate<T>[] = []
      for (const entry of some) {
        const match = matchProgram(programOf(entry.template, false), uri, unknown, limits)
        if (match !== undefined) found.push(toCandidate(entry, match))
      }
      return found
    }
    const found = count === 0 ? none : matchesOf(new Set(strictIndex.hits.slice(0, count)))
    return found.length > 0 || isSpelledRight(uri)
      ? found
      : matchesOf(candidates(strictIndex, spellRight(uri)))
  }

  /** Matches that only the case of the scheme keeps from being strict ones (RFC 3986 section 3.1). */
  function foldedMatches(uri: string): readonly Candidate<T>[] {
    const folded = foldScheme(uri)
    if (!isFoldable(uri)) return none
    foldedIndex ??= filled(false, foldedOf)
    return [...candidates(foldedIndex, spellRight(folded))].flatMap((entry) => {
      const found = readText(programOf(foldedOf(entry), false), folded, unknown, limits)
      if (found === undefined) return []
      const { values, deviations } = toMatch(found, uri)
      return [
        {
          entry,
          values,
          deviations: [{ code: 'scheme-case', index: 0, count: 1 } as const, ...deviations],
          found,
        },
      ]
    })
  }

  function tolerantCandidates(uri: string, most: number): Candidate<T>[] {
    return [...candidates(tolerantly(), spellRight(uri))]
      .sort((left, right) => compareSpecificity(left.template, right.template))
      .flatMap((entry) =>
        tolerantMatches(entry.template, uri, unknown, limits, most).map((match) => toCandidate(entry, match)),
      )
  }

  function toHit(candidate: Candidate<T>, all: readonly Candidate<T>[], uri: string): SetHit<T> {
    const { entry, values, deviations, found } = candidate
    const tied =
      all.length === 1
        ? none
        : all.flatMap((other) =>
            other.entry !== entry && compareShape(other.entry.template, entry.template) === 0
              ? [other.entry.data]
              : [],
          )
    return new SetHit(entry, uri, values, deviations, tied, found)
  }

  const best = (found: readonly Candidate<T>[]): Candidate<T> | undefined => {
    let first = found[0]
    for (let at = 1; at < found.length; at += 1)
      if (compareSpecificity(found[at]!.entry.template, first!.entry.template) < 0) first = found[at]
    return first
  }

  function find(uri: string): { readonly hit: SetMatch<T>; readonly entry: { hits: number } } | undefined {
    const listed = exact.isEmpty() ? none : exact.find(uri)
    if (listed[0] !== undefined) return { hit: toExactHit(listed[0], uri, listed), entry: listed[0] }
    let found = strictMatches(uri)
    if (found.length === 0) {
      const folded = exact.findFolded(uri)
      if (folded[0] !== undefined) return { hit: toExactHit(folded[0], uri, folded), entry: folded[0] }
      found = foldedMatches(uri)
    }
    if (found.length === 0 && mode === 'tolerant') {
      found = tolerantCandidates(uri, 2)
      if (found.length > 1) return undefined
    }
    const first = best(found)
    return first && { hit: toHit(first, found, uri), entry: first.entry }
  }

  function all(uri: string): SetMatch<T>[] {
    checkUri(uri, limits)
    let listed = exact.find(uri)
    let found = strictMatches(uri)
    if (listed.length + found.length === 0) {
      listed = exact.findFolded(uri)
      found = foldedMatches(uri)
    }
    if (listed.length + found.length === 0 && mode === 'tolerant') found = tolerantCandidates(uri, 16)
    const hits = found
      .map((candidate) => toHit(candidate, found, uri))
      .sort((left, right) => compareSpecificity(left.template, right.template))
    return [...listed.map((entry) => toExactHit(entry, uri, listed)), ...hits]
  }

  const conflict = (left: Entry<T>, right: Entry<T>): SetConflict | undefined =>
    conflictOf(left.template, right.template, { mode, ...(limits !== undefined && { limits }) })
  const conflictIndex = (): TemplateIndex<Entry<T>> => (mode === 'tolerant' ? tolerantly() : strictIndex)
  function remove(entry: Entry<T>): void {
    if (!entries.delete(entry)) return
    sorted = undefined
    if (capitalInScheme.test(entry.template.source)) foldable -= 1
    strictIndex.remove(entry.template, entry)
    tolerantIndex?.remove(entry.template, entry)
    foldedIndex?.remove(foldedOf(entry), entry)
  }

  return {
    add(template, data) {
      const parsed = typeof template === 'string' ? parseLeniently(template) : template
      checkExpressions(parsed, limits)
      const entry: Entry<T> = { template: parsed, names: settledNames(parsed), data, hits: 0 }
      entries.add(entry)
      if (capitalInScheme.test(parsed.source)) foldable += 1
      sorted = undefined
      strictIndex.insert(parsed, entry)
      tolerantIndex?.insert(parsed, entry)
      foldedIndex?.insert(foldedOf(entry), entry)
      if (equal === 'refuse')
        for (const rival of conflictIndex().rivals(entry.template, entry)) {
          const found = compareShape(rival.template, parsed) === 0 ? conflict(entry, rival) : undefined
          if (found === undefined) continue
          remove(entry)
          throw new TemplateConflictError(parsed.source, rival.template.source, found.uri)
        }
      return () => remove(entry)
    },
    addExact(uri, data) {
      if (equal === 'refuse' && exact.find(uri).length > 0) throw new TemplateConflictError(uri, uri, uri)
      return exact.add({ uri, data, hits: 0 })
    },
    match(uri) {
      checkUri(uri, limits)
      counts.attempts += 1
      const settled = settledHit(uri)
      if (settled !== undefined && settled !== 'none') return settled
      const found = settled === 'none' ? undefined : find(uri)
      if (found === undefined) {
        counts.noMatch += 1
        if (badEscapeAt(uri) >= 0) counts.badEscapes += 1
        return undefined
      }
      found.entry.hits += 1
      return found.hit
    },
    matchAll: all,
    explain(uri: string, expected?: Expectation): Explanation {
      checkUri(uri, limits)
      const listed = [...exact.find(uri), ...exact.findFolded(uri)]
      const strict = [...strictMatches(uri), ...foldedMatches(uri)]
      const tolerant = strict.length > 0 ? [] : tolerantCandidates(uri, 2)
      return explainRead({
        uri,
        strict: strict
          .map((candidate) => toHit(candidate, strict, uri))
          .sort((left, right) => compareSpecificity(left.template, right.template)),
        tolerant: tolerant.map((candidate) => toHit(candidate, tolerant, uri)),
        templates: inOrder().map(({ template }) => template),
        exact: listed.length > 0,
        expected,
      })
    },
    conflicts() {
      const found: SetConflict[] = []
      const done = new Set<Entry<T>>()
      for (const entry of inOrder()) {
        done.add(entry)
        for (const rival of new Set(conflictIndex().rivals(entry.template, entry))) {
          const both = done.has(rival) ? undefined : conflict(entry, rival)
          if (both !== undefined) found.push(both)
        }
      }
      return found
    },
    metrics: () =>
      toMetrics(counts, [
        ...[...exact.entries()].flat().map(({ uri, hits }: ExactEntry<T>) => ({ template: uri, hits })),
        ...inOrder().map(({ template, hits }) => ({ template: template.source, hits })),
      ]),
    reportLocated(found) {
      if (found) counts.located += 1
      else counts.notLocated += 1
    },
    get templates() {
      return inOrder().map(({ template }) => template)
    },
  }
}
