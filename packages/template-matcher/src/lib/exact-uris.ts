import type { Deviation, RawPiece } from './match.ts'
import type { ExactHit } from './set-types.ts'
import { noDeviations } from './template-match.ts'
import { beginTrace, type ReadTrace } from './trace.ts'

/** A URI that is matched letter for letter. */
export interface ExactEntry<T> {
  readonly uri: string
  readonly data: T
  hits: number
}

/** The exact URIs of a set. */
export interface ExactUris<T> {
  add(entry: ExactEntry<T>): () => void
  /** The entries for a URI, first added first. */
  find(uri: string): readonly ExactEntry<T>[]
  /** The entries whose URI differs from this one by the case of the scheme at most (RFC 3986 section 3.1). */
  findFolded(uri: string): readonly ExactEntry<T>[]
  entries(): IterableIterator<readonly ExactEntry<T>[]>
}

const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/

/** A URI with its scheme in lower case. */
export const foldScheme = (uri: string): string => uri.replace(scheme, (text) => text.toLowerCase())

const none: readonly never[] = []

/** What differs where the case of the scheme does. */
export const schemeCase: Deviation = { code: 'scheme-case', index: 0, count: 1 }

/** Makes an empty collection. */
export function createExactUris<T>(): ExactUris<T> {
  const exact = new Map<string, readonly ExactEntry<T>[]>()
  const folded = new Map<string, readonly ExactEntry<T>[]>()
  function change(
    uri: string,
    changed: (listed: readonly ExactEntry<T>[]) => readonly ExactEntry<T>[],
  ): void {
    const places = [
      [exact, uri],
      [folded, foldScheme(uri)],
    ] as const
    for (const [map, key] of places) {
      const listed = changed(map.get(key) ?? none)
      if (listed.length > 0) map.set(key, listed)
      else map.delete(key)
    }
  }
  return {
    add(entry) {
      change(entry.uri, (listed) => [...listed, entry])
      return () => change(entry.uri, (listed) => listed.filter((each) => each !== entry))
    },
    find: (uri) => (exact.size === 0 ? none : (exact.get(uri) ?? none)),
    findFolded: (uri) => (folded.size === 0 ? none : (folded.get(foldScheme(uri)) ?? none)),
    entries: () => exact.values(),
  }
}

/** The hit of an exact URI among all entries for it. */
export class ExactUriHit<T> implements ExactHit<T> {
  readonly kind = 'exact'
  readonly template = undefined
  readonly uri: string
  readonly registered: string
  readonly values = {}
  readonly deviations: readonly Deviation[]
  readonly data: T
  readonly tied: readonly T[]

  constructor(entry: ExactEntry<T>, uri: string, all: readonly ExactEntry<T>[]) {
    this.uri = uri
    this.registered = entry.uri
    this.deviations = entry.uri === uri ? noDeviations : [schemeCase]
    this.data = entry.data
    this.tied = all.length < 2 ? none : all.filter((each) => each !== entry).map(({ data }) => data)
  }

  get raw(): readonly RawPiece[] {
    return [{ type: 'literal', text: this.uri }]
  }

  get trace(): ReadTrace {
    const { uri, deviations } = this
    const step = { step: 'match', ok: true, uri, ...(deviations.length > 0 && { deviations }) } as const
    return { ...beginTrace(uri), steps: [step, { step: 'decode', ok: true, values: {} }] }
  }
}
