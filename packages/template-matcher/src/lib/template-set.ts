import type { Template } from '@truename/uri-codec'
import { badEscapeAt, type Expectation, type Explanation, explainRead } from './explain.ts'
import type { Deviation, Match } from './match.ts'
import { noCounts, toMetrics } from './metrics.ts'
import { programOf } from './program.ts'
import { checkExpressions, checkUri, taskOf } from './read-text.ts'
import type { ExactHit, SetMatch, TemplateHit, TemplateSet, TemplateSetOptions } from './set-types.ts'
import { compareShape, compareSpecificity } from './specificity.ts'
import { matchProgram, tolerantMatches } from './template-match.ts'
import { toTemplate } from './to-template.ts'
import { beginTrace } from './trace.ts'

/** A template or exact URI of a set. */
interface Entry<T> {
  readonly template: Template
  readonly data: T
  hits: number
}

interface ExactEntry<T> {
  readonly uri: string
  readonly data: T
  hits: number
}

const foldScheme = (uri: string): string =>
  uri.replace(/^[A-Za-z][A-Za-z0-9+.-]*:/, (scheme) => scheme.toLowerCase())

/** @throws nothing of its own; see {@link TemplateSet} for what its methods throw */
export function createTemplateSet<T>(options: TemplateSetOptions = {}): TemplateSet<T> {
  const entries: Entry<T>[] = []
  const exact = new Map<string, ExactEntry<T>[]>()
  const folded = new Map<string, ExactEntry<T>[]>()
  const counts = noCounts()

  const toHit = (entry: Entry<T>, match: Match, tied: readonly T[]): TemplateHit<T> =>
    Object.assign(match, { kind: 'template', data: entry.data, tied } as const)

  const exactHits = (uri: string): ExactHit<T>[] => {
    const found = exact.get(uri) ?? folded.get(foldScheme(uri)) ?? []
    return found.map((entry) => {
      const deviations: Deviation[] = entry.uri === uri ? [] : [{ code: 'scheme-case', index: 0, count: 1 }]
      const trace = beginTrace(uri)
      return {
        kind: 'exact',
        template: undefined,
        uri,
        registered: entry.uri,
        data: entry.data,
        tied: found.filter((each) => each !== entry).map(({ data }) => data),
        values: {},
        deviations,
        raw: [{ type: 'literal', text: uri }],
        trace: {
          ...trace,
          steps: [{ step: 'match', ok: true, uri, ...(deviations.length > 0 && { deviations }) }],
        },
      }
    })
  }

  const strictMatches = (uri: string): { readonly entry: Entry<T>; readonly match: Match }[] => {
    checkUri(uri, options.limits)
    const task = taskOf(options.query?.unknown ?? 'refuse', options.limits)
    return entries.flatMap((entry) => {
      const match = matchProgram(programOf(entry.template, false), uri, () => task)
      return match === undefined ? [] : [{ entry, match }]
    })
  }

  const tolerantReadings = (
    uri: string,
    most: number,
  ): { readonly entry: Entry<T>; readonly match: Match }[] => {
    checkUri(uri, options.limits)
    const task = taskOf(options.query?.unknown ?? 'refuse', options.limits)
    return entries.flatMap((entry) =>
      tolerantMatches(entry.template, uri, task, most).map((match) => ({ entry, match })),
    )
  }

  const all = (uri: string): SetMatch<T>[] => {
    const listed = exactHits(uri)
    let found = strictMatches(uri)
    if (found.length === 0 && listed.length === 0 && options.mode === 'tolerant')
      found = tolerantReadings(uri, 16)
    const hits = found.map(({ entry, match }) =>
      toHit(
        entry,
        match,
        found.flatMap((other) =>
          other.entry !== entry && compareShape(other.entry.template, entry.template) === 0
            ? [other.entry.data]
            : [],
        ),
      ),
    )
    return [...listed, ...hits]
  }

  return {
    add(template, data) {
      const parsed = toTemplate(template)
      checkExpressions(programOf(parsed, false), options.limits)
      const entry: Entry<T> = { template: parsed, data, hits: 0 }
      const at = entries.findIndex((other) => compareSpecificity(parsed, other.template) < 0)
      entries.splice(at < 0 ? entries.length : at, 0, entry)
      return () => {
        const place = entries.indexOf(entry)
        if (place >= 0) entries.splice(place, 1)
      }
    },
    addExact(uri, data) {
      const entry: ExactEntry<T> = { uri, data, hits: 0 }
      const places = [
        [exact, uri],
        [folded, foldScheme(uri)],
      ] as const
      for (const [map, key] of places) map.set(key, [...(map.get(key) ?? []), entry])
      return () => {
        for (const [map, key] of places) {
          const left = (map.get(key) ?? []).filter((each) => each !== entry)
          if (left.length > 0) map.set(key, left)
          else map.delete(key)
        }
      }
    },
    match(uri) {
      counts.attempts += 1
      const [hit, ...more] = all(uri)
      const strictly =
        hit?.kind === 'exact' ||
        hit?.deviations.every(({ code }) => code !== 'not-encoded' && code !== 'raw-slash')
      if (hit === undefined || (!strictly && more.length > 0)) {
        counts.noMatch += 1
        if (badEscapeAt(uri) >= 0) counts.badEscapes += 1
        return undefined
      }
      const entry =
        hit.kind === 'exact'
          ? exact.get(hit.registered)?.[0]
          : entries.find(({ template }) => template === hit.template)
      if (entry !== undefined) entry.hits += 1
      return hit
    },
    matchAll: all,
    explain(uri: string, expected?: Expectation): Explanation {
      const strict = strictMatches(uri).map(({ match }) => match)
      return explainRead({
        uri,
        strict,
        tolerant: strict.length > 0 ? [] : tolerantReadings(uri, 2).map(({ match }) => match),
        templates: entries.map(({ template }) => template),
        exact: exactHits(uri).length > 0,
        expected,
      })
    },
    metrics: () =>
      toMetrics(counts, [
        ...[...exact.values()].flat().map(({ uri, hits }) => ({ template: uri, hits })),
        ...entries.map(({ template, hits }) => ({ template: template.source, hits })),
      ]),
    reportLocated(found) {
      if (found) counts.located += 1
      else counts.notLocated += 1
    },
    get templates() {
      return entries.map(({ template }) => template)
    },
  }
}
