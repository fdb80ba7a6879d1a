import { canonicalJson } from './canonical-json.ts'
import type { Drift, DriftChange, DriftSubject } from './drift.ts'
import { definitionMessage, serverMessage } from './drift-message.ts'
import { byCodeUnits, type Json, type JsonObject } from './json.ts'
import { type Key, keyId } from './key.ts'
import { type LiveDefinition, readLiveList } from './live-definitions.ts'
import type { LockedDefinition, LockedServer } from './lock.ts'
import { lockInstructions } from './lock-server.ts'
import { pointerOf } from './pointer.ts'
import { rateField } from './rate-field.ts'
import type { MachineFacts } from './substitutions.ts'
import { type CatalogueList, kindOf, objectOf, type Surface } from './surface.ts'

/** Options of {@link compareSurface} and {@link verifySurface}. */
export interface CompareOptions {
  /** This machine's values, for the substitutions of the lock. */
  readonly machine?: MachineFacts | undefined
  /** Keys that an earlier comparison found removed: if they are back, that is said. */
  readonly removedBefore?: Iterable<Key> | undefined
}

/** Every difference between a lock entry and what the server shows now, and what was found equal. */
export interface Comparison {
  readonly drift: readonly Drift[]
  /** `keyId`s of definitions whose live digest equals the digest in the lock. */
  readonly approved: ReadonlySet<string>
}

const lists: readonly CatalogueList[] = ['tools', 'prompts', 'templates']
const subjects = { tools: 'tool', prompts: 'prompt', templates: 'template' } as const

/**
 * Every difference between a lock entry and what the server shows now, one per definition and field, sorted by
 * subject and name. Order, spelling and white space of what the server sends are no difference; a digest is.
 */
export const compareSurface = (
  locked: LockedServer,
  live: Surface,
  options?: CompareOptions,
): readonly Drift[] => compare(locked, live, options).drift

/** The comparison behind {@link compareSurface}, with the keys that were found equal. */
export function compare(locked: LockedServer, live: Surface, options: CompareOptions = {}): Comparison {
  const approved = new Set<string>()
  const drift: Drift[] = compareServer(locked, live, options.machine ?? {})
  const gone = new Set([...(options.removedBefore ?? [])].map(keyId))
  for (const list of lists)
    drift.push(...compareList({ locked, live, list, machine: options.machine ?? {}, approved, gone }))
  return { drift, approved }
}

interface ListInput {
  readonly locked: LockedServer
  readonly live: Surface
  readonly list: CatalogueList
  readonly machine: MachineFacts
  readonly approved: Set<string>
  readonly gone: ReadonlySet<string>
}

function compareList({ locked, live, list, machine, approved, gone }: ListInput): Drift[] {
  const { byName, nameless } = readLiveList(locked, live, list, machine)
  const about = aboutServer(locked, subjects[list])
  const names = [...new Set([...locked[list].keys(), ...byName.keys()])].sort(byCodeUnits)
  const drift: Drift[] = []
  for (const name of names) {
    const key: Key = { server: locked.id, kind: kindOf[list], name }
    const entry = locked[list].get(name)
    const shown = byName.get(name) ?? []
    const [one] = shown
    const whole = (change: DriftChange, more: Pick<Drift, 'severity'> & Partial<Drift>): Drift =>
      about({
        key,
        change,
        before: entry?.digest,
        message: definitionMessage(key, subjects[list], change),
        ...more,
      })
    if (entry === undefined) {
      drift.push(whole('added', { severity: 'medium', after: one?.digest }))
    } else if (one === undefined) {
      drift.push(whole('removed', { severity: 'medium' }))
    } else if (shown.every((definition) => definition.digest === entry.digest)) {
      approved.add(keyId(key))
      if (gone.has(keyId(key))) drift.push(whole('re-added', { severity: 'low', after: entry.digest }))
    } else if (shown.length > 1) {
      drift.push(whole('ambiguous', { severity: 'high' }))
    } else if (one.digest === undefined) {
      drift.push(whole('unreadable', { severity: 'high' }))
    } else {
      drift.push(...compareDefinition(about, key, subjects[list], entry, one))
    }
  }
  if (nameless > 0) {
    const message = `Server ${JSON.stringify(locked.id)} lists a ${subjects[list]} without a name; it is not listed.`
    drift.push(about({ key: undefined, change: 'unreadable', severity: 'medium', message }))
  }
  return drift
}

function compareDefinition(
  about: ReturnType<typeof aboutServer>,
  key: Key,
  subject: DriftSubject,
  entry: LockedDefinition,
  live: LiveDefinition,
): Drift[] {
  const fields = [...new Set([...Object.keys(entry.definition), ...Object.keys(live.definition)])].sort(
    byCodeUnits,
  )
  return fields.flatMap((field) => {
    const before = ownMember(entry.definition, field)
    const after = ownMember(live.definition, field)
    if (sameJson(before, after)) return []
    const rating = rateField(field, before, after)
    const message = definitionMessage(key, subject, 'changed', field)
    return [
      about({ key, change: 'changed', field, before: entry.digest, after: live.digest, message, ...rating }),
    ]
  })
}

const ownMember = (object: JsonObject, member: string): Json | undefined =>
  Object.hasOwn(object, member) ? object[member] : undefined

const sameJson = (a: Json | undefined, b: Json | undefined): boolean =>
  a === undefined || b === undefined ? a === b : canonicalJson(a) === canonicalJson(b)

/** Fills in what every drift of a server and subject has in common. */
const aboutServer =
  (locked: LockedServer, subject: DriftSubject) =>
  (drift: Pick<Drift, 'key' | 'change' | 'message' | 'severity'> & Partial<Drift>): Drift => ({
    server: locked.id,
    profile: locked.profile,
    subject,
    field: undefined,
    pointer: '',
    places: [],
    reasons: [],
    before: undefined,
    after: undefined,
    ...drift,
  })

function compareServer(locked: LockedServer, live: Surface, machine: MachineFacts): Drift[] {
  const drift: Drift[] = []
  const said = (subject: DriftSubject, before: Json, after: Json, more: Partial<Drift> = {}): void => {
    if (sameJson(before, after)) return
    const { pointer, places } = rateField(subject, before, after)
    drift.push(
      aboutServer(
        locked,
        subject,
      )({
        key: undefined,
        change: before === null ? 'added' : after === null ? 'removed' : 'changed',
        severity: 'info',
        message: serverMessage(locked.id, subject),
        pointer: pointer.slice(pointerOf([subject]).length),
        places,
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
