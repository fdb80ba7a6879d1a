import { globMatches } from './glob.ts'
import type { Kind, Policy, Rule } from './policy.ts'

/** Finds the rules that match a pair, in the order of the policy. */
export interface RuleIndex {
  candidates(kind: Kind, server: string, name: string): readonly Rule[]
}

/** Pairs remembered per index; a policy with wildcards is gone through once for each of them. */
const remembered = 8192

interface Shelf {
  /** Rules without any wildcard: server, then name. */
  readonly exact: Map<string, Map<string, Rule[]>>
  /** Rules with a wildcard in the name alone, by server. */
  readonly ofServer: Map<string, Rule[]>
  /** Rules with a wildcard in the server. */
  readonly wide: Rule[]
}

const pushTo = <K>(map: Map<K, Rule[]>, key: K, rule: Rule): void => {
  const rules = map.get(key)
  if (rules) rules.push(rule)
  else map.set(key, [rule])
}

const shelve = (rules: readonly Rule[]): Shelf => {
  const shelf: Shelf = { exact: new Map(), ofServer: new Map(), wide: [] }
  for (const rule of rules) {
    const server = rule.server.parts[0] as string
    if (!rule.server.exact) shelf.wide.push(rule)
    else if (!rule.name.exact) pushTo(shelf.ofServer, server, rule)
    else {
      const names = shelf.exact.get(server) ?? new Map<string, Rule[]>()
      shelf.exact.set(server, names)
      pushTo(names, rule.name.parts[0] as string, rule)
    }
  }
  return shelf
}

/** Builds the index. Looking a pair up costs the rules that match it, the first time also every wildcard rule. */
export function createRuleIndex(policy: Policy): RuleIndex {
  const shelves: Readonly<Record<Kind, Shelf>> = {
    tool: shelve(policy.rules.filter((rule) => rule.kind === 'tool')),
    prompt: shelve(policy.rules.filter((rule) => rule.kind === 'prompt')),
    resource: shelve(policy.rules.filter((rule) => rule.kind === 'resource')),
  }
  const found: Readonly<Record<Kind, Map<string, Map<string, readonly Rule[]>>>> = {
    tool: new Map(),
    prompt: new Map(),
    resource: new Map(),
  }
  let count = 0

  const search = (kind: Kind, server: string, name: string): readonly Rule[] => {
    const { exact, ofServer, wide } = shelves[kind]
    const named = exact.get(server)?.get(name) ?? []
    const mine = ofServer.get(server)?.filter((rule) => globMatches(rule.name, name)) ?? []
    const others = wide.filter((rule) => globMatches(rule.server, server) && globMatches(rule.name, name))
    if (mine.length === 0 && others.length === 0) return named
    return [...named, ...mine, ...others].sort((a, b) => a.index - b.index)
  }

  return {
    candidates(kind, server, name) {
      const known = found[kind].get(server)?.get(name)
      if (known) return known
      if (count >= remembered) {
        for (const names of Object.values(found)) names.clear()
        count = 0
      }
      const rules = search(kind, server, name)
      const names = found[kind].get(server) ?? new Map<string, readonly Rule[]>()
      names.set(name, rules)
      found[kind].set(server, names)
      count += 1
      return rules
    },
  }
}
