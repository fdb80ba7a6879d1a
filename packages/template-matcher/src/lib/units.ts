import {
  isUnreserved,
  isUriText,
  octetAt,
  PERCENT,
  reservedText,
  tripletSize,
  unreservedText,
} from './characters.ts'

/**
 * One step of a URI in canonical spelling: a character that stands for itself, the triplets of one code point, or a
 * single triplet that is part of no text.
 */
export type Unit = string

/** The units of a canonical text. */
export function unitsOf(text: string): Unit[] {
  const units: Unit[] = []
  for (let at = 0; at < text.length; ) {
    const size =
      text.charCodeAt(at) === PERCENT ? tripletSize(text, at) || (octetAt(text, at) < 0 ? 1 : 3) : 1
    units.push(text.slice(at, at + size))
    at += size
  }
  return units
}

/** A set of units. */
export interface UnitSet {
  has(unit: Unit): boolean
}

const isEncoded = (unit: Unit): boolean => unit.length > 1 && tripletSize(unit, 0) === unit.length

const setOf = (has: (unit: Unit) => boolean): UnitSet => ({ has })

/** What values of most operators are written with. */
export const unreservedUnits = setOf((unit) =>
  unit.length === 1 ? isUnreserved(unit.charCodeAt(0)) : isEncoded(unit),
)
/** What values of `+` and `#` are written with. */
export const reservedUnits = setOf((unit) =>
  unit.length === 1 ? isUriText(unit.charCodeAt(0)) : isEncoded(unit),
)
/** What `+` and `#` write for values that hold no triplets: none for what they would leave as it is. */
export const plainReservedUnits = setOf((unit) =>
  unit.length === 1
    ? isUriText(unit.charCodeAt(0))
    : isEncoded(unit) && (unit.length > 3 || !isUriText(octetAt(unit, 0))),
)
/** What clients that do not encode write; see `careless` of the characters. */
export const carelessUnits = setOf((unit) =>
  unit.length === 1 ? unit !== '?' && unit !== '#' && isUriText(unit.charCodeAt(0)) : isEncoded(unit),
)

/** `set` with and without these units. */
export function changedSet(set: UnitSet, more: string, less: string): UnitSet {
  if (more === '' && less === '') return set
  return setOf((unit) => !less.includes(unit) && (more.includes(unit) || set.has(unit)))
}

/** `set` without these units, which may be longer than one character. */
export function exceptUnits(set: UnitSet, less: readonly Unit[]): UnitSet {
  return less.length === 0 ? set : setOf((unit) => !less.includes(unit) && set.has(unit))
}

/** All units that a witness needs to be made of, the ones that read best first. */
const usualUnits: readonly Unit[] = [
  ...unreservedText.slice(26, 62),
  ...unreservedText.slice(0, 26),
  '-',
  '_',
  '~',
  '.',
  '/',
  ...[...reservedText].filter((unit) => unit !== '/'),
  '%20',
  '%25',
  '%2F',
  '%C3%A9',
]

const shared = new WeakMap<UnitSet, Map<UnitSet, Unit | undefined>>()

/** A unit that both sets have. */
export function commonUnit(left: UnitSet, right: UnitSet): Unit | undefined {
  let known = shared.get(left)
  if (known === undefined) {
    known = new Map()
    shared.set(left, known)
  }
  if (known.has(right)) return known.get(right)
  const unit = usualUnits.find((each) => left.has(each) && right.has(each))
  known.set(right, unit)
  return unit
}
