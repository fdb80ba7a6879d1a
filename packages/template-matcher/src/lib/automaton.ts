import type { Unit, UnitSet } from './units.ts'

/** Whose value a state holds. */
export interface Role {
  /** The variable's place among all variables of the template, each occurrence counted. */
  readonly occurrence: number
  readonly form: 'text' | 'list' | 'map'
  readonly isKey: boolean
}

/** A step from one state to another. */
export interface Edge {
  readonly on: Unit | UnitSet
  readonly to: number
  /** The key, by its number, of which this step reads one pair more. */
  readonly counted?: number
}

/** A nondeterministic automaton over the units of a URI, with one accepting state. */
export interface Automaton {
  readonly start: number
  readonly accept: number
  readonly edges: readonly (readonly Edge[])[]
  /** Steps that read nothing. */
  readonly silent: readonly (readonly number[])[]
  readonly roles: readonly (Role | undefined)[]
  /** The most code points that may be read into a state; 0 for no limit. */
  readonly limits: readonly number[]
  /** States whose text counts triplets of reserved characters as three code points. */
  readonly reserved: readonly boolean[]
  /** How often each counted key may come. */
  readonly most: readonly number[]
}

/** An automaton in the making. */
export interface AutomatonBuilder {
  state(role?: Role, limit?: number, reserved?: boolean): number
  edge(from: number, on: Unit | UnitSet, to: number, counted?: number): void
  skip(from: number, to: number): void
  /** Reads these units one after the other; answers the state after them. */
  read(from: number, units: readonly Unit[]): number
  /** A key that may come `most` times; answers its number. */
  key(most: number): number
  finish(start: number, accept: number): Automaton
}

/** Begins an automaton. */
export function buildAutomaton(): AutomatonBuilder {
  const edges: Edge[][] = []
  const silent: number[][] = []
  const roles: (Role | undefined)[] = []
  const limits: number[] = []
  const reserved: boolean[] = []
  const most: number[] = []
  const state = (role?: Role, limit = 0, isReserved = false): number => {
    edges.push([])
    silent.push([])
    roles.push(role)
    limits.push(limit)
    reserved.push(isReserved)
    return edges.length - 1
  }
  const edge = (from: number, on: Unit | UnitSet, to: number, counted?: number): void => {
    edges[from]!.push(counted === undefined ? { on, to } : { on, to, counted })
  }
  return {
    state,
    edge,
    skip: (from, to) => {
      silent[from]!.push(to)
    },
    read: (from, units) =>
      units.reduce((at, unit) => {
        const next = state()
        edge(at, unit, next)
        return next
      }, from),
    key: (count) => most.push(count) - 1,
    finish: (start, accept) => ({ start, accept, edges, silent, roles, limits, reserved, most }),
  }
}
