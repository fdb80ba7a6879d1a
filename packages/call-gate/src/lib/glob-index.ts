import { type Glob, globMatches } from './glob.ts'

/** Finds, among many patterns, those that match a text. */
export interface GlobIndex<T> {
  add(glob: Glob, value: T): void
  /** What was added for each pattern that matches, once each, in no order. */
  matching(text: string): readonly T[]
}

interface Item<T> {
  readonly glob: Glob
  readonly value: T
  /** The last search that found it. */
  search: number
}

/** Patterns whose texts begin and end alike. */
interface Alike<T> {
  /** Those with nothing telling between their wildcards. */
  readonly open: Item<T>[]
  /** The others, by some characters that stand in all their texts. */
  readonly byPiece: Map<string, Item<T>[]>
}

/** Values by text, and which lengths the texts have: a part of another text is looked up once for each. */
interface ByLength<T> {
  readonly lengths: number[]
  readonly values: Map<string, T>
}

const pieceLength = 3

const byLength = <T>(): ByLength<T> => ({ lengths: [], values: new Map() })

function reach<T>({ lengths, values }: ByLength<T>, text: string, make: () => T): T {
  let value = values.get(text)
  if (value === undefined) {
    value = make()
    values.set(text, value)
    if (!lengths.includes(text.length)) lengths.push(text.length)
  }
  return value
}

const longest = (parts: readonly string[]): string =>
  parts.reduce((one, other) => (other.length > one.length ? other : one), '')

/**
 * Patterns by what is fixed in them: how their texts begin, how they end, and three characters between. A search looks
 * at the patterns that agree with the text in all that, not at the others.
 */
export function createGlobIndex<T>(): GlobIndex<T> {
  const beginnings = byLength<ByLength<Alike<T>>>()
  let searches = 0

  const look = (items: readonly Item<T>[] | undefined, text: string, found: T[]): void => {
    if (items === undefined) return
    for (const item of items) {
      if (item.search === searches || !globMatches(item.glob, text)) continue
      item.search = searches
      found.push(item.value)
    }
  }

  return {
    add(glob, value) {
      const { parts } = glob
      const first = parts[0] as string
      const last = glob.exact ? first : (parts[parts.length - 1] as string)
      const endings = reach(beginnings, first, () => byLength<Alike<T>>())
      const alike = reach(endings, last, () => ({ open: [], byPiece: new Map() }))
      const item = { glob, value, search: 0 }
      const between = longest(parts.slice(1, -1))
      if (between.length < pieceLength) {
        alike.open.push(item)
        return
      }
      const piece = between.slice(0, pieceLength)
      const known = alike.byPiece.get(piece)
      if (known) known.push(item)
      else alike.byPiece.set(piece, [item])
    },
    matching(text) {
      searches += 1
      const found: T[] = []
      for (const beginning of beginnings.lengths) {
        if (beginning > text.length) continue
        const endings = beginnings.values.get(text.slice(0, beginning))
        if (endings === undefined) continue
        for (const ending of endings.lengths) {
          if (ending > text.length) continue
          const alike = endings.values.get(text.slice(text.length - ending))
          if (alike === undefined) continue
          look(alike.open, text, found)
          if (alike.byPiece.size === 0) continue
          for (let at = beginning; at + pieceLength <= text.length; at += 1)
            look(alike.byPiece.get(text.slice(at, at + pieceLength)), text, found)
        }
      }
      return found
    },
  }
}
