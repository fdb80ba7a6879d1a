import type { DriftChange, DriftSubject } from './drift.ts'
import type { Key } from './key.ts'
import { sanitizeName } from './sanitize.ts'

/** Members of definitions that the specification names; others are not repeated in messages. */
const knownFields = new Set([
  '_meta',
  'annotations',
  'arguments',
  'description',
  'execution',
  'icons',
  'inputSchema',
  'mimeType',
  'name',
  'outputSchema',
  'title',
  'uriTemplate',
])

/** The field as a message may name it: its own name if the specification has it, else a description of it. */
export const fieldForMessage = (field: string): string =>
  knownFields.has(field) ? field : 'a member the specification does not name'

const quoted = (text: string): string => `"${sanitizeName(text)}"`

/** A sentence about a definition that is not as it was approved. */
export function definitionMessage(
  key: Key,
  subject: DriftSubject,
  change: DriftChange,
  field?: string,
): string {
  const where = `of server ${quoted(key.server)}`
  const what = `${subject} ${quoted(key.name)} ${where}`
  switch (change) {
    case 'added':
      return `A ${subject} that was not approved appeared on server ${quoted(key.server)}; it is not listed.`
    case 'removed':
      return `The ${what} is no longer offered; it stays held until someone reviews it.`
    case 're-added':
      return `The ${what} was gone for a time and is back as it was approved.`
    case 'ambiguous':
      return `The ${what} is now defined more than once; it is held until someone reviews it.`
    case 'unreadable':
      return `The ${what} no longer has a readable definition; it is held until someone reviews it.`
    case 'changed':
      return `The ${what} changed after it was approved (${fieldForMessage(field ?? '')}); it is held until someone reviews it.`
  }
}

/** A sentence about what a server says of itself as a whole. */
export const serverMessage = (server: string, subject: DriftSubject): string =>
  `The ${subject} of server ${quoted(server)} changed since it was approved; what was approved stays in use.`

/** A sentence about definitions that nobody could call or lock. */
export const namelessMessage = (server: string, subject: DriftSubject): string =>
  `Server ${quoted(server)} lists a ${subject} without a name; it is not listed.`

/** A sentence about a key that the lock does not know; its name is the caller's, so it is not repeated. */
export const notInLockMessage = (key: Key): string =>
  `Server ${quoted(key.server)} has no approved ${key.kind} of this name.`
