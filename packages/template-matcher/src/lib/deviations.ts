import { isUnreserved, isUriText, octetAt, PERCENT, reserved, SLASH, unreserved } from './characters.ts'
import type { Deviation, DeviationCode, RawPiece } from './match.ts'
import type { Program } from './program.ts'

/** The kinds of deviation that start at one character of a piece. */
function deviationAt(piece: RawPiece, at: number, keepsReserved: boolean): DeviationCode | undefined {
  const { text, type } = piece
  const code = text.charCodeAt(at)
  if (code === PERCENT) {
    const octet = octetAt(text, at)
    if (isUnreserved(octet) && !(keepsReserved && type === 'value')) return 'needless-escape'
    return /[a-f]/.test(text.slice(at + 1, at + 3)) ? 'hex-case' : undefined
  }
  if (type !== 'value' && type !== 'key') return isUriText(code) ? undefined : 'not-encoded'
  const set = keepsReserved ? reserved : unreserved
  if (code < 128 && set[code] !== 0) return undefined
  if (code === SLASH) return 'raw-slash'
  return code === 0x2c ? undefined : 'not-encoded'
}

/** All deviations of a matched URI, gathered by kind and variable in the order of their first place. */
export function deviationsOf(program: Program, pieces: readonly RawPiece[], inOrder: boolean): Deviation[] {
  const reservedNames = new Set(
    program.parts.flatMap((part) =>
      part.type === 'slots' && part.reserved ? part.variables.map(({ name }) => name) : [],
    ),
  )
  const found = new Map<string, { code: DeviationCode; index: number; count: number; variable?: string }>()
  const note = (code: DeviationCode, index: number, variable: string | undefined): void => {
    const key = `${code} ${variable ?? ''}`
    const known = found.get(key)
    if (known !== undefined) known.count += 1
    else found.set(key, { code, index, count: 1, ...(variable !== undefined && { variable }) })
  }
  let from = 0
  let query: number | undefined
  for (const piece of pieces) {
    const { text, name } = piece
    if (piece.type === 'delimiter' && (text[0] === '?' || text[0] === '&')) query ??= from
    for (let at = 0; at < text.length; at += 1) {
      const code = deviationAt(piece, at, name !== undefined && reservedNames.has(name))
      if (code !== undefined) note(code, from + at, name)
      if (text.charCodeAt(at) === PERCENT) at += 2
      else if (text.codePointAt(at)! > 0xffff) at += 1
    }
    from += text.length
  }
  if (!inOrder) note('query-order', query ?? 0, undefined)
  return [...found.values()].sort((left, right) => left.index - right.index)
}
