import type { CharacterSet } from './characters.ts'
import type { Unit } from './units.ts'

/** Whose value a state holds. */
export interface Role {
  /** The variable's place in the expression, or among all of the template, each occurrence counted. */
  readonly variable: number
  readonly form: 'text' | 'list' | 'map'
}

/** A step from one state to another. */
export interface Edge {
  readonly on: Unit | CharacterSet
  readonly to: number
  /** The key, by its number, of which this step reads one pair more. */
  readonly counted?: number | undefined
  /** Units of the set that take another step. */
  readonly except?: readonly Unit[] | undefined
}

/** A nondeterministic automaton over the units of a URI, with one accepting state. */
export interface Automaton {
  readonly start: number
  readonly accept: number
  /** Steps of each state, the preferred first; silent ones, which read nothing, before all others. */
  readonly edges: readonly (readonly Edge[])[]
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
  edge(from: number, on: Unit | CharacterSet, to: number, counted?: number, except?: readonly Unit[]): void
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
    silent.push([])
    roles.push(role)
    limits.push(limit)
    reserved.push(isReserved)
    return edges.push([]) - 1
  }
  const edge: AutomatonBuilder['edge'] = (from, on, to, counted, except) => {
    edges[from]!.push({ on, to, counted, except })
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
