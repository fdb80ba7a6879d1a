import { type About, compareList, sameJson } from './compare-list.ts'
import type { Drift, DriftSubject } from './drift.ts'
import { serverMessage } from './drift-message.ts'
import type { Json } from './json.ts'
import { type Key, keyId } from './key.ts'
import type { LockedServer } from './lock.ts'
import { lockInstructions } from './lock-server.ts'
import { rateField } from './rate-field.ts'
import type { MachineFacts } from './substitutions.ts'
import { type CatalogueList, objectOf, type Surface } from './surface.ts'

/** Options of {@link compareSurface} and {@link verifySurface}. */
export interface CompareOptions {
  /** This machine's values, for the substitutions of the lock. */
  readonly machine?: MachineFacts | undefined
  /** Keys that an earlier comparison found removed: if they are back, that is said. */
  readonly removedBefore?: Iterable<Key> | undefined
  /** Whether the authorization that was presented is the one the lock was made with. */
  readonly authorization?: 'same' | 'changed' | undefined
}

/** Every difference between a lock entry and what the server shows now, and what was found equal. */
export interface Comparison {
  readonly drift: readonly Drift[]
  /** `keyId`s of definitions whose live digest equals the digest in the lock. */
  readonly approved: ReadonlySet<string>
}

const lists: readonly CatalogueList[] = ['tools', 'prompts', 'templates']

/**
 * Every difference between a lock entry and what the server shows now, one per definition and field: first the
 * server as a whole, then tools, prompts and templates by name. Order, spelling and white space of what the server
 * sends are no difference; a digest is.
 */
export const compareSurface = (
  locked: LockedServer,
  live: Surface,
  options?: CompareOptions,
): readonly Drift[] => compare(locked, live, options).drift

/** The comparison behind {@link compareSurface}, with the keys that were found equal. */
export function compare(locked: LockedServer, live: Surface, options: CompareOptions = {}): Comparison {
  const { machine = {}, removedBefore = [], authorization = 'unknown' } = options
  const approved = new Set<string>()
  const gone = new Set([...removedBefore].map(keyId))
  const about: About = (subject, drift) => ({
    server: locked.id,
    profile: locked.profile,
    subject,
    field: undefined,
    pointer: '',
    places: [],
    reasons: [],
    before: undefined,
    after: undefined,
    authorization,
    ...drift,
  })
  const drift = compareServer(locked, live, machine, about)
  for (const list of lists) drift.push(...compareList({ locked, live, list, machine, about, approved, gone }))
  return { drift, approved }
}

function compareServer(locked: LockedServer, live: Surface, machine: MachineFacts, about: About): Drift[] {
  const drift: Drift[] = []
  const said = (subject: DriftSubject, before: Json, after: Json, more: Partial<Drift> = {}): void => {
    if (sameJson(before, after)) return
    const { places, reasons } = rateField(subject, before, after)
    const inside = places.map(({ pointer, op }) => ({ pointer: pointer.slice(subject.length + 1), op }))
    drift.push(
      about(subject, {
        key: undefined,
        change: before === null ? 'added' : after === null ? 'removed' : 'changed',
        severity: 'info',
        message: serverMessage(locked.id, subject),
        pointer: inside[0]?.pointer ?? '',
        places: inside,
        reasons: reasons.filter((reason) => reason !== 'unknown-member'),
        ...more,
      }),
    )
  }
  const instructions = lockInstructions(live.instructions, locked.substitutions, machine)
  said('instructions', locked.instructions?.text ?? null, instructions?.text ?? null, {
    severity: 'high',
    before: locked.instructions?.digest,
    after: instructions?.digest,
  })
  said('capabilities', locked.capabilities, objectOf(live.capabilities), { severity: 'low' })
  said('serverInfo', locked.serverInfo, live.serverInfo ? objectOf(live.serverInfo) : null)
  const protocol = { era: locked.era, version: locked.version }
  said('protocol', protocol, { era: live.era ?? locked.era, version: live.version ?? locked.version })
  return drift
}
