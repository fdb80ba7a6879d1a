import {
  COMMA,
  isUnreserved,
  isUriText,
  octetAt,
  PERCENT,
  reserved,
  SLASH,
  unreserved,
} from './characters.ts'
import type { Deviation, DeviationCode, RawPiece } from './match.ts'
import type { Program } from './program.ts'

/** The kind of deviation that starts at one character of a piece that values, or nobody, wrote. */
function deviationAt(
  piece: RawPiece,
  at: number,
  keepsReserved: boolean,
  keepsCommas: boolean,
): DeviationCode | undefined {
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
  return code === COMMA && keepsCommas ? undefined : 'not-encoded'
}

/** The triplet or character at a place. */
const symbolAt = (text: string, at: number): string =>
  text.charCodeAt(at) === PERCENT ? text.slice(at, at + 3) : String.fromCodePoint(text.codePointAt(at) ?? 0)

/** Notes how a text of the template is spelled otherwise than the template has it. */
function compareSpelling(
  text: string,
  right: string,
  from: number,
  note: (code: DeviationCode, index: number) => void,
): void {
  let place = 0
  for (let at = 0; at < text.length; ) {
    const given = symbolAt(text, at)
    const due = symbolAt(right, place)
    const isEncoded = given.charCodeAt(0) === PERCENT
    // Characters that differ are the case of a scheme.
    if (given === due || due.charCodeAt(0) !== PERCENT) place += due.length
    else place += isUriText(given.charCodeAt(0)) || isEncoded ? 3 : encodeURIComponent(given).length
    if (given !== due) {
      if (due.charCodeAt(0) === PERCENT) note(isEncoded ? 'hex-case' : 'not-encoded', from + at)
      else if (isEncoded) note('needless-escape', from + at)
    }
    at += given.length
  }
}

/** Where the name of a variable starts in what an operator wrote before its value. */
const nameStart = (text: string): number => text.search(/[^?&;]*$/)

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
  const literals = program.template.nodes.flatMap((node) => (node.type === 'literal' ? node.encoded : []))
  for (const [place, piece] of pieces.entries()) {
    const { text, name } = piece
    let end = text.length
    if (piece.type === 'literal') {
      compareSpelling(text, literals.shift()!, from, (code, index) => note(code, index, undefined))
      end = 0
    } else if (piece.type === 'delimiter') {
      if (text[0] === '?' || text[0] === '&') query ??= from
      const next = pieces[place + 1]
      const start = nameStart(text)
      if (start > 0 && next?.type === 'value' && next.name !== undefined) {
        compareSpelling(text.slice(start), `${next.name}=`, from + start, (code, index) =>
          note(code, index, undefined),
        )
        end = start
      }
    }
    for (let at = 0; at < end; at += 1) {
      const code = deviationAt(piece, at, name !== undefined && reservedNames.has(name), !program.tolerant)
      if (code !== undefined) note(code, from + at, name)
      if (text.charCodeAt(at) === PERCENT) at += 2
      else if (text.codePointAt(at)! > 0xffff) at += 1
    }
    from += text.length
  }
  if (!inOrder) note('query-order', query ?? 0, undefined)
  return [...found.values()].sort((left, right) => left.index - right.index)
}
