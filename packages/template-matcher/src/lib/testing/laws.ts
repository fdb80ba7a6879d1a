import { isDeepStrictEqual } from 'node:util'
import { findAmbiguity } from '../ambiguity.ts'
import type { Match } from '../match.ts'
import { matchTemplate } from '../match-template.ts'
import { overlap } from '../overlap.ts'
import { allValues, choices, domainValues, randomTemplate, tryExpand } from './brute-force.ts'

// Help for tests: each law answers what breaks it, for one template or pair.

/** Whether values expand to a URI, but for the order of its query. */
function expandsTo(template: string, match: Match, uri: string): boolean {
  const back = tryExpand(template, match.values)
  if (back === uri) return true
  if (back === undefined) return false
  // What `{+v}` leaves as it is cannot be had back from its decoded value; the raw pieces can.
  if (/\{[+#]/.test(template) && /%(?!20)/.test(uri)) return true
  const reordered = match.deviations.some(({ code }) => code === 'query-order')
  return reordered && [...back].sort().join('') === [...uri].sort().join('')
}

/** What small values expand to is matched, by values that expand to it again, in pieces that make it up. */
export function breaksMatching(template: string): string[] {
  const broken: string[] = []
  for (const values of choices(template, (name) => allValues(template, name), 150)) {
    const uri = tryExpand(template, values)
    if (uri === undefined) continue
    const match = matchTemplate(template, uri)
    if (match === undefined) broken.push(`${template} does not match ${uri} of ${JSON.stringify(values)}`)
    else if (!expandsTo(template, match, uri))
      broken.push(`${template} reads ${uri} as ${JSON.stringify(match.values)}`)
    else if (match.raw.map(({ text }) => text).join('') !== uri)
      broken.push(`${template} does not rebuild ${uri}`)
  }
  return broken
}

const alphabet = ['a', 'b', '/', '?', '&', '=', '.', ',', ';', 'v', 'w', 'k', '#', '%20']

/** Any short text that is matched is what the values expand to. */
export function breaksSoundness(template: string, random: (count: number) => number): string[] {
  const broken: string[] = []
  for (let tried = 0; tried < 60; tried += 1) {
    const uri = Array.from({ length: random(8) }, () => alphabet[random(alphabet.length)]).join('')
    const match = matchTemplate(template, uri)
    if (match !== undefined && !expandsTo(template, match, uri))
      broken.push(`${template} reads ${uri} as ${JSON.stringify(match.values)}`)
  }
  return broken
}

/** An overlap is decided as trying small values decides it, with a witness no longer than any that trying finds. */
export function breaksOverlap(left: string, right: string): string[] | 'undecided' {
  const found = overlap(left, right)
  if (found === 'undecided') return 'undecided'
  let shortest: string | undefined
  for (const template of [left, right])
    for (const values of choices(template, (name) => allValues(template, name), 80)) {
      const uri = tryExpand(template, values)
      if (uri === undefined || (shortest !== undefined && uri.length >= shortest.length)) continue
      if (matchTemplate(left, uri) && matchTemplate(right, uri)) shortest = uri
    }
  const pair = `${left} and ${right}`
  if (found === undefined) return shortest === undefined ? [] : [`${pair} both match ${shortest}`]
  const broken: string[] = []
  if (shortest !== undefined && shortest.length < found.uri.length)
    broken.push(`${pair}: ${shortest} is shorter than ${found.uri}`)
  if (!expandsTo(left, found.first, found.uri) || !expandsTo(right, found.second, found.uri))
    broken.push(`${pair}: ${found.uri} is no proof`)
  return broken
}

/**
 * An ambiguity is decided as trying small values decides it, with a proof; where there is none, matching gives back
 * what was expanded.
 */
export function breaksAmbiguity(template: string, maps: boolean): string[] | 'undecided' {
  const found = findAmbiguity(template, { maps })
  if (found === 'undecided') return 'undecided'
  const expanded = new Map<string, object>()
  let shortest: string | undefined
  for (const values of choices(template, (name) => domainValues(template, name, maps), 200)) {
    const uri = tryExpand(template, values)
    if (uri === undefined) continue
    if (expanded.has(uri) && (shortest === undefined || uri.length < shortest.length)) shortest = uri
    expanded.set(uri, values)
  }
  if (found !== undefined) {
    const { uri, first, second } = found
    const proves =
      tryExpand(template, first) === uri &&
      tryExpand(template, second) === uri &&
      !isDeepStrictEqual(first, second)
    if (!proves) return [`${template}: ${JSON.stringify(found)} is no proof`]
    return shortest !== undefined && shortest.length < uri.length
      ? [`${template}: ${shortest} is shorter`]
      : []
  }
  if (shortest !== undefined) return [`${template}: two value sets expand to ${shortest}`]
  if (maps) return []
  return [...expanded].flatMap(([uri, values]) => {
    const match = matchTemplate(template, uri)
    return match !== undefined && isDeepStrictEqual({ ...match.values }, values)
      ? []
      : [`${template}: ${uri} of ${JSON.stringify(values)} is read as ${JSON.stringify(match?.values)}`]
  })
}

/** Runs a law on many templates; answers what broke it and how many were undecided. */
export function tryMany(
  count: number,
  random: (count: number) => number,
  repeats: boolean,
  law: (template: string, other: string) => string[] | 'undecided',
): { readonly broken: string[]; readonly undecided: number } {
  const broken: string[] = []
  let undecided = 0
  for (let at = 0; at < count; at += 1) {
    const outcome = law(randomTemplate(random, repeats), randomTemplate(random, repeats))
    if (outcome === 'undecided') undecided += 1
    else broken.push(...outcome)
  }
  return { broken, undecided }
}
