import { type Comparison, folderOf, isOpenPath } from './condition.ts'
import { createGlobIndex } from './glob-index.ts'
import type { Verdict } from './verdict.ts'

/** From a place on, the next place of some; `Infinity` where there is none. Calls never go back. */
export type Next = (from: number) => number

/** A rule by the one comparison it is found by. */
export interface Member {
  readonly place: number
  readonly comparison: Comparison
  readonly decision: Verdict
}

/** The rules of a group that a value does not rule out. */
export interface Selected {
  readonly next: readonly Next[]
  /** Those that ask, where the comparison cannot be decided. Those that allow need not be looked at then. */
  readonly asks?: Next | undefined
}

/** Which rules of a group matter for a value; `undefined` is an absent one. */
export type Select = (value: unknown) => Selected

const none: Selected = { next: [] }

/** Goes through places that are in order. */
export function along(places: readonly number[]): Next {
  let at = 0
  return (from) => {
    while (at < places.length && (places[at] as number) < from) at += 1
    return at < places.length ? (places[at] as number) : Number.POSITIVE_INFINITY
  }
}

const inOrder = (places: readonly number[]): number[] => places.toSorted((a, b) => a - b)

/** What to look at where a comparison cannot be decided: a rule that allows does not match then. */
function undecided(members: readonly Member[]): () => Selected {
  const placesOf = (verdict: Verdict): readonly number[] =>
    members.filter(({ decision }) => decision === verdict).map(({ place }) => place)
  const [denies, asks] = [placesOf('deny'), placesOf('ask')]
  return () => ({
    next: denies.length > 0 ? [along(denies)] : [],
    asks: asks.length > 0 ? along(asks) : undefined,
  })
}

function listOf<K>(map: Map<K, number[]>, key: K): number[] {
  const known = map.get(key)
  if (known) return known
  const places: number[] = []
  map.set(key, places)
  return places
}

const selectedOf = (places: readonly number[] | undefined): Selected =>
  places === undefined ? none : { next: [along(places)] }

/** `equals` and `in`, of what is neither a list nor an object. */
function byValue(members: readonly Member[]): Select {
  const places = new Map<unknown, number[]>()
  for (const { place, comparison } of members) {
    if (comparison.is === 'equals') listOf(places, comparison.value).push(place)
    else if (comparison.is === 'in')
      for (const value of new Set(comparison.values)) listOf(places, value).push(place)
  }
  const open = undecided(members)
  return (value) => (value === undefined ? open() : selectedOf(places.get(value)))
}

function byPresence(members: readonly Member[]): Select {
  const places = new Map<boolean, number[]>()
  for (const { place, comparison } of members)
    if (comparison.is === 'exists') listOf(places, comparison.expected).push(place)
  return (value) => selectedOf(places.get(value !== undefined))
}

function byPattern(members: readonly Member[]): Select {
  const patterns = createGlobIndex<number>()
  for (const { place, comparison } of members)
    if (comparison.is === 'like') patterns.add(comparison.glob, place)
  const open = undecided(members)
  return (value) => {
    if (typeof value !== 'string') return open()
    const places = patterns.matching(value)
    return places.length === 0 ? none : { next: [along(inOrder(places))] }
  }
}

/** `under`: a path has few folders above it. */
function byFolder(members: readonly Member[]): Select {
  const places = new Map<string, number[]>()
  for (const { place, comparison } of members)
    if (comparison.is === 'under') listOf(places, folderOf(comparison.folder)).push(place)
  const open = undecided(members)
  return (value) => {
    if (typeof value !== 'string' || isOpenPath(value)) return open()
    const next: Next[] = []
    const look = (folder: string): void => {
      const found = places.get(folder)
      if (found) next.push(along(found))
    }
    look(value)
    for (let at = value.indexOf('/'); at >= 0; at = value.indexOf('/', at + 1)) look(value.slice(0, at))
    return { next }
  }
}

interface Bounds {
  readonly met: (value: number, bound: number) => boolean
  /** Of several bounds the one that is met where any of them is. */
  readonly easiest: (...bounds: number[]) => number
}

const bounded: Readonly<Record<string, Bounds>> = {
  lessThan: { met: (value, bound) => value < bound, easiest: Math.max },
  atMost: { met: (value, bound) => value <= bound, easiest: Math.max },
  greaterThan: { met: (value, bound) => value > bound, easiest: Math.min },
  atLeast: { met: (value, bound) => value >= bound, easiest: Math.min },
}

const stride = 32

/** One comparison with a bound. Rules are wanted in order, so bounds are gone through, many at a time where none is met. */
function byBound(members: readonly Member[], { met, easiest }: Bounds): Select {
  const places = members.map(({ place }) => place)
  const bounds = members.map(({ comparison }) => ('bound' in comparison ? comparison.bound : Number.NaN))
  const strides = Array.from({ length: Math.ceil(bounds.length / stride) }, (_, at) =>
    easiest(...bounds.slice(at * stride, (at + 1) * stride)),
  )
  const open = undecided(members)
  return (value) => {
    if (typeof value !== 'number') return open()
    let at = 0
    const next: Next = (from) => {
      while (at < places.length) {
        if (at % stride === 0 && !met(value, strides[at / stride] as number)) at += stride
        else if ((places[at] as number) < from || !met(value, bounds[at] as number)) at += 1
        else return places[at] as number
      }
      return Number.POSITIVE_INFINITY
    }
    return { next: [next] }
  }
}

/** Groups rules that look at one value with comparisons of one family, in the order of their places. */
export function groupMembers(members: readonly Member[]): Select {
  const { is } = (members[0] as Member).comparison
  const bounds = bounded[is]
  if (bounds) return byBound(members, bounds)
  if (is === 'exists') return byPresence(members)
  if (is === 'like') return byPattern(members)
  if (is === 'under') return byFolder(members)
  return byValue(members)
}
