/** The two eras of the protocol: revisions up to 2025-11-25, and 2026-07-28 and later. */
export type Era = 'legacy' | 'modern'

/** The published revisions, oldest first (specification, §Versioning). */
export const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const

/** A published revision. */
export type Revision = (typeof REVISIONS)[number]

/** The last revision with a handshake, and the first without one (2026-07-28, §Terminology). */
const LAST_LEGACY = '2025-11-25'
const FIRST_MODERN = '2026-07-28'

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/**
 * The era a protocol version belongs to, or `undefined` where the text is no version. A version is a calendar
 * date `YYYY-MM-DD` (specification, §Versioning); anything else, `"zzz"` for one, belongs to no era, and neither does
 * a date between the last legacy and the first modern revision.
 */
export function eraOf(version: unknown): Era | undefined {
  if (typeof version !== 'string') return undefined
  return PUBLISHED.get(version) ?? eraOfDate(version)
}

const PUBLISHED: ReadonlyMap<string, Era> = new Map(
  REVISIONS.map((revision) => [revision, revision >= FIRST_MODERN ? 'modern' : 'legacy']),
)

function eraOfDate(version: string): Era | undefined {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(version)
  if (!parts) return undefined
  const [year, month, day] = parts.slice(1).map(Number) as [number, number, number]
  if (day < 1 || day > (DAYS[month - 1] ?? 0)) return undefined
  if (month === 2 && day === 29 && !(year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)))
    return undefined
  if (version >= FIRST_MODERN) return 'modern'
  return version <= LAST_LEGACY ? 'legacy' : undefined
}

/** The versions of one era among those given, newest first. */
export function versionsOf(era: Era, versions: readonly string[]): readonly string[] {
  return [...new Set(versions)].filter((version) => eraOf(version) === era).sort((a, b) => (a < b ? 1 : -1))
}

/** The newest version of an era that both lists hold. */
export function newestCommon(
  era: Era,
  ours: readonly string[],
  theirs: readonly string[],
): string | undefined {
  return versionsOf(era, ours).find((version) => theirs.includes(version))
}

/**
 * The published revision whose rules apply to a version: itself, or for an unpublished date the newest one
 * before it (the oldest one where none is older).
 */
export function revisionFor(version: string): Revision {
  return REVISIONS.findLast((revision) => revision <= version) ?? REVISIONS[0]
}
