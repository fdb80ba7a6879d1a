import type { RawPiece } from './match.ts'
import type { MatchedValue } from './matched-values.ts'
import type { Program } from './program.ts'
import type { Place } from './walk.ts'

/** Where a program matched a text. */
export interface Found {
  readonly program: Program
  readonly path: readonly Place[]
  readonly values: Record<string, MatchedValue>
  /** Whether the query parameters stand in the order of the template. */
  readonly inOrder: boolean
}

/** The URI in pieces. */
export function piecesOf(found: Found, uri: string): RawPiece[] {
  const pieces: { type: RawPiece['type']; text: string; name?: string }[] = []
  for (const { node, from, to } of found.path) {
    const { type, owner } = node
    const text = uri.slice(from, to)
    const last = pieces.at(-1)
    if (type === 'delimiter') {
      if (text === '') continue
      if (last?.type === type) last.text += text
      else pieces.push({ type, text })
    } else if (type === 'literal') pieces.push({ type, text })
    else pieces.push({ type, text, name: found.program.occurrences[owner]!.name })
  }
  return pieces
}
