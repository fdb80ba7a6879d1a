import { canonicalText } from './canonical.ts'
import { isUriText, reserved, unreserved } from './characters.ts'
import type { Deviation, DeviationCode } from './match.ts'
import type { Found } from './pieces.ts'

const symbols = /%[\da-f]{2}|./gisu

/** All deviations of a matched URI, gathered by kind and variable in the order of their first place. */
export function deviationsOf(found: Found, uri: string): Deviation[] {
  const { program, path } = found
  const all = new Map<string, { code: DeviationCode; index: number; count: number; variable?: string }>()
  const note = (code: DeviationCode, index: number, variable?: string): void => {
    const key = `${code} ${variable}`
    const known = all.get(key)
    if (known !== undefined) known.count += 1
    else all.set(key, { code, index, count: 1, ...(variable !== undefined && { variable }) })
  }
  let at = 0
  /** The part that is looked at, where it starts, and the variable that stood last in it. */
  let current: { readonly part: unknown; readonly start: number } = { part: undefined, start: 0 }
  let latest = -1
  for (const { node, from, to } of path) {
    const { type, owner, right } = node
    const { name, part } = program.occurrences[owner] ?? {}
    if (node.part !== current.part) {
      current = { part: node.part, start: at }
      latest = -1
    }
    if (owner >= 0 && owner < latest) {
      note('query-order', current.start)
      // It is said once of a query.
      latest = Number.NEGATIVE_INFINITY
    } else if (owner >= 0 && latest !== Number.NEGATIVE_INFINITY) latest = owner
    let rest = right
    for (const [given] of uri.slice(from, to).matchAll(symbols)) {
      const isEncoded = given.length > 2
      const code = given.charCodeAt(0)
      let due: string
      if (rest !== undefined) {
        due = rest.match(symbols)![0]
        // What arrives as it is may be several triplets.
        rest = rest.slice(isEncoded || due.length < 3 ? due.length : encodeURIComponent(given).length)
        // Characters that differ are the case of a scheme.
        if (!isEncoded && due.length < 3) due = given
      } else if (isEncoded)
        due = part?.rule.reserved && type === 'value' ? given.toUpperCase() : canonicalText(given)
      else if (owner < 0) due = isUriText(code) ? given : ''
      else
        due =
          (part?.rule.reserved ? reserved : unreserved)[Math.min(code, 128)] ||
          (given === ',' && !program.tolerant)
            ? given
            : ''
      if (given !== due) {
        if (!isEncoded) note(given === '/' && name !== undefined ? 'raw-slash' : 'not-encoded', at, name)
        else note(due.length > 2 ? 'hex-case' : 'needless-escape', at, name)
      }
      at += given.length
    }
  }
  return [...all.values()].sort((left, right) => left.index - right.index)
}
