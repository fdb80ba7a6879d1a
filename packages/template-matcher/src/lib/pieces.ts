import type { RawPiece } from './match.ts'
import type { Program } from './program.ts'
import type { PartsReading } from './read-parts.ts'

/** Where a program matched a text. */
export interface Found {
  readonly program: Program
  /** The index in the URI of each index of the text that was matched, its canonical spelling; `undefined` where they are equal. */
  readonly origin: Int32Array | undefined
  readonly bounds: readonly number[]
  readonly reading: PartsReading
}

/** The URI in pieces. */
export function piecesOf({ program, origin, bounds, reading }: Found, uri: string): RawPiece[] {
  const slice = (from: number, to: number): string =>
    origin === undefined ? uri.slice(from, to) : uri.slice(origin[from], origin[to])
  const pieces: RawPiece[] = []
  for (const [index, part] of program.parts.entries()) {
    const start = bounds[index]!
    const end = bounds[index + 1]!
    if (part.type === 'literal') {
      pieces.push({ type: 'literal', text: slice(start, end) })
      continue
    }
    const spans: { from: number; to: number; type: 'key' | 'value'; name: string }[] = []
    for (const { variable, form, spans: places } of reading.ways[index]!.occurrences)
      for (let at = 0; at < places.length; at += 2)
        spans.push({
          from: places[at]!,
          to: places[at + 1]!,
          type: form === 'map' && at % 4 === 0 ? 'key' : 'value',
          name: part.variables[variable]!.name,
        })
    spans.sort((left, right) => left.from - right.from || left.to - right.to)
    let last = start
    for (const { from, to, type, name } of spans) {
      if (from > last) pieces.push({ type: 'delimiter', text: slice(last, from) })
      pieces.push({ type, text: slice(from, to), name })
      last = to
    }
    if (last < end) pieces.push({ type: 'delimiter', text: slice(last, end) })
  }
  return pieces
}
