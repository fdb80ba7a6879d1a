import type { Condition } from './condition.ts'
import type { Rule } from './policy.ts'
import { showLine } from './show.ts'

const showCondition = ({ pointer, comparison }: Condition): string => {
  const value = (): unknown => {
    switch (comparison.is) {
      case 'equals':
      case 'notEquals':
        return comparison.value
      case 'in':
      case 'notIn':
        return comparison.values
      case 'like':
      case 'notLike':
        return comparison.glob.source
      case 'under':
        return comparison.folder
      case 'exists':
        return comparison.expected
      default:
        return comparison.bound
    }
  }
  return `${pointer === '' ? 'all' : pointer} ${comparison.is} ${JSON.stringify(value())}`
}

/** The pair a rule names, as written, in one line with hidden characters written out. */
export const showPair = (rule: Rule): string => showLine(`${rule.server.source}/${rule.name.source}`)

/** All a rule asks for before it decides: `tool shop-a/buy for profile ci when /amount atMost 100`. */
export function showRule(rule: Rule): string {
  const profiles = rule.profiles ? ` for profile ${rule.profiles.join(' or ')}` : ''
  const when = rule.when.length > 0 ? ` when ${rule.when.map(showCondition).join(' and ')}` : ''
  return showLine(`${rule.kind} ${rule.server.source}/${rule.name.source}${profiles}${when}`)
}
