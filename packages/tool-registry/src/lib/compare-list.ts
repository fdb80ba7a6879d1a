import { canonicalJson } from './canonical-json.ts'
import type { Drift, DriftChange, DriftSubject } from './drift.ts'
import { definitionMessage, namelessMessage } from './drift-message.ts'
import { byCodeUnits, type Json, type JsonObject } from './json.ts'
import { type Key, keyId } from './key.ts'
import { type LiveDefinition, readLiveList } from './live-definitions.ts'
import type { LockedDefinition, LockedServer } from './lock.ts'
import { rateField, rateNew } from './rate-field.ts'
import { markRenames, type WholeDrift } from './renames.ts'
import type { MachineFacts } from './substitutions.ts'
import { type CatalogueList, kindOf, type Surface } from './surface.ts'

/** What every drift of a server has in common, and how to make one. */
export type About = (
  subject: DriftSubject,
  drift: Pick<Drift, 'key' | 'change' | 'message' | 'severity'> & Partial<Drift>,
) => Drift

/** One list of a lock entry and of the live surface. */
export interface ListInput {
  readonly locked: LockedServer
  readonly live: Surface
  readonly list: CatalogueList
  readonly machine: MachineFacts
  readonly about: About
  /** Receives the `keyId` of every definition whose live digest equals the digest in the lock. */
  readonly approved: Set<string>
  /** `keyId`s that an earlier comparison found removed. */
  readonly gone: ReadonlySet<string>
}

const subjects = { tools: 'tool', prompts: 'prompt', templates: 'template' } as const

/** The differences of one list, in the order of names. */
export function compareList(input: ListInput): Drift[] {
  const { locked, live, list, machine, about } = input
  const { byName, nameless } = readLiveList(locked, live, list, machine)
  const names = [...new Set([...locked[list].keys(), ...byName.keys()])].sort(byCodeUnits)
  const removed: WholeDrift[] = []
  const added: WholeDrift[] = []
  const drift = names.flatMap((name) => {
    const key: Key = { server: locked.id, kind: kindOf[list], name }
    return compareOne(input, key, locked[list].get(name), byName.get(name) ?? [], removed, added)
  })
  const marked = markRenames(removed, added)
  if (nameless > 0) {
    const message = namelessMessage(locked.id, subjects[list])
    drift.push(about(subjects[list], { key: undefined, change: 'unreadable', severity: 'medium', message }))
  }
  return drift.map((one) => marked.get(one) ?? one)
}

function compareOne(
  { list, about, approved, gone }: ListInput,
  key: Key,
  entry: LockedDefinition | undefined,
  shown: readonly LiveDefinition[],
  removed: WholeDrift[],
  added: WholeDrift[],
): Drift[] {
  const subject = subjects[list]
  const [one] = shown
  const whole = (change: DriftChange, more: Pick<Drift, 'severity'> & Partial<Drift>): Drift =>
    about(subject, {
      key,
      change,
      before: entry?.digest,
      message: definitionMessage(key, subject, change),
      ...more,
    })
  if (entry === undefined) {
    if (one === undefined) return []
    const drift = whole('added', {
      after: one.digest,
      ...rateNew(one.digest === undefined ? null : one.definition),
    })
    if (one.digest !== undefined) added.push({ drift, definition: one.definition })
    return [drift]
  }
  if (one === undefined) {
    const drift = whole('removed', { severity: 'medium' })
    removed.push({ drift, definition: entry.definition })
    return [drift]
  }
  if (shown.every((definition) => definition.digest === entry.digest)) {
    approved.add(keyId(key))
    return gone.has(keyId(key)) ? [whole('re-added', { severity: 'low', after: entry.digest })] : []
  }
  if (shown.length > 1) return [whole('ambiguous', { severity: 'high' })]
  if (one.digest === undefined) return [whole('unreadable', { severity: 'high' })]
  return compareFields(about, key, subject, entry, one)
}

function compareFields(
  about: About,
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
    const message = definitionMessage(key, subject, 'changed', field)
    const rating = rateField(field, before, after)
    return [
      about(subject, {
        key,
        change: 'changed',
        field,
        before: entry.digest,
        after: live.digest,
        message,
        ...rating,
      }),
    ]
  })
}

const ownMember = (object: JsonObject, member: string): Json | undefined =>
  Object.hasOwn(object, member) ? object[member] : undefined

/** Whether two values have the same canonical form; absent is only the same as absent. */
export const sameJson = (a: Json | undefined, b: Json | undefined): boolean =>
  a === undefined || b === undefined ? a === b : canonicalJson(a) === canonicalJson(b)
