import { type Comparison, type Condition, compareValue, type Truth } from './condition.ts'
import { valueAt } from './json-pointer.ts'
import { along, groupMembers, type Member, type Next } from './plan-groups.ts'
import type { Rule } from './policy.ts'

/** A way through a list of rules that leaves out those that a call certainly does not fall under. */
export interface Plan {
  /** Begins with a call. */
  walk(args: unknown, profile: string): Walk
}

/** One call's way through the rules. Places are asked for in order. */
export interface Walk {
  /** The next place from a place on; the length of the list or more where there is none. */
  next(from: number): number
  /** Whether the rule at a place holds: profile and all conditions. */
  truth(place: number): Truth
  /** From now on, rules that ask and certainly cannot be decided need not be shown: one of them was met. */
  skipUndecidedAsks(): void
}

/** Shorter lists are tried one rule after the other. */
export const planFrom = 8

/** Comparisons that can tell rules apart, best first. */
const telling: readonly (readonly Comparison['is'][])[] = [
  ['equals', 'in'],
  ['under'],
  ['like'],
  ['atMost'],
  ['lessThan'],
  ['atLeast'],
  ['greaterThan'],
  ['exists'],
]

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null

function familyOf(comparison: Comparison): number {
  const simple =
    comparison.is === 'equals'
      ? isScalar(comparison.value)
      : comparison.is !== 'in' || comparison.values.every(isScalar)
  return simple ? telling.findIndex((family) => family.includes(comparison.is)) : -1
}

const profilePointer = Symbol('profile')

/** The condition by which a rule is found: the one that fewest others share. */
function keyOf(rule: Rule, shared: ReadonlyMap<string, number>): Condition | undefined {
  let best: Condition | undefined
  const rank = (condition: Condition): number =>
    (shared.get(condition.text) ?? 1) * telling.length + familyOf(condition.comparison)
  for (const condition of rule.when)
    if (familyOf(condition.comparison) >= 0 && (best === undefined || rank(condition) < rank(best)))
      best = condition
  return best
}

/** Makes the plan for a list of rules. */
export function createPlan(rules: readonly Rule[]): Plan {
  const slots = new Map<string, { readonly slot: number; readonly tokens: readonly string[] }>()
  const slotOf = ({ pointer, tokens }: Condition): number => {
    const known = slots.get(pointer)
    if (known) return known.slot
    const slot = slots.size
    slots.set(pointer, { slot, tokens })
    return slot
  }
  const compiled = rules.map((rule) =>
    rule.when.map((condition) => ({ slot: slotOf(condition), comparison: condition.comparison })),
  )
  const pointers = [...slots.values()].map(({ tokens }) => tokens)

  const shared = new Map<string, number>()
  for (const rule of rules) for (const { text } of rule.when) shared.set(text, (shared.get(text) ?? 0) + 1)

  const rest: number[] = []
  const members = new Map<
    string,
    { readonly slot: number | typeof profilePointer; readonly list: Member[] }
  >()
  const put = (id: string, slot: number | typeof profilePointer, member: Member): void => {
    const known = members.get(id)
    if (known) known.list.push(member)
    else members.set(id, { slot, list: [member] })
  }
  for (const [place, rule] of rules.entries()) {
    const key = keyOf(rule, shared)
    const { decision } = rule
    if (key)
      put(`${familyOf(key.comparison)} ${key.pointer}`, slotOf(key), {
        place,
        comparison: key.comparison,
        decision,
      })
    else if (rule.profiles)
      put('profile', profilePointer, { place, comparison: { is: 'in', values: rule.profiles }, decision })
    else rest.push(place)
  }
  const groups = [...members.values()].map(({ slot, list }) => ({ slot, select: groupMembers(list) }))

  return {
    walk(args, profile) {
      const values: unknown[] = pointers.map((tokens) => valueAt(args, tokens))
      const sure: Next[] = rest.length > 0 ? [along(rest)] : []
      let asks: Next[] = []
      for (const { slot, select } of groups) {
        const selected = select(typeof slot === 'number' ? values[slot] : profile)
        sure.push(...selected.next)
        if (selected.asks) asks.push(selected.asks)
      }
      return {
        next(from) {
          let nearest = rules.length
          for (const next of sure) nearest = Math.min(nearest, next(from))
          for (const next of asks) nearest = Math.min(nearest, next(from))
          return nearest
        },
        truth(place) {
          const { profiles } = rules[place] as Rule
          if (profiles && !profiles.includes(profile)) return 'no'
          let all: Truth = 'yes'
          for (const { slot, comparison } of compiled[place] as (typeof compiled)[number]) {
            const truth = compareValue(comparison, values[slot])
            if (truth === 'no') return 'no'
            if (truth === 'undecidable') all = 'undecidable'
          }
          return all
        },
        skipUndecidedAsks() {
          asks = []
        },
      }
    },
  }
}
