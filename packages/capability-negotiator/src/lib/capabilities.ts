import { isObject, type Json, type JsonObject, own } from './json.ts'
import type { Flag } from './messages.ts'

/** Something in a declaration that is not as the specification has it. What is malformed counts as not declared. */
export interface Diagnostic {
  readonly code:
    | 'malformed-capabilities'
    | 'malformed-capability'
    | 'malformed-flag'
    | 'not-a-server-capability'
  /** The member, as in `resources.subscribe`. */
  readonly path: string
  readonly message: string
}

const SERVER_FLAGS: ReadonlyMap<string, readonly string[]> = new Map([
  ['tools', ['listChanged']],
  ['resources', ['subscribe', 'listChanged']],
  ['prompts', ['listChanged']],
])
const SERVER_CAPABILITIES = ['tools', 'resources', 'prompts', 'logging', 'completions', 'tasks']
const CLIENT_ONLY = ['roots', 'sampling', 'elicitation']
const MAPS = ['experimental', 'extensions']
/** What a client may declare, and of which kind its members are. */
const CLIENT_MEMBERS: ReadonlyMap<string, Readonly<Record<string, 'object' | 'boolean'>>> = new Map([
  ['roots', { listChanged: 'boolean' }],
  ['sampling', { context: 'object', tools: 'object' }],
  ['elicitation', { form: 'object', url: 'object' }],
  ['tasks', { list: 'object', cancel: 'object', requests: 'object' }],
] as const)
const MODES = ['form', 'url']

const kind = (value: Json | undefined): string =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'a list'
      : typeof value === 'object'
        ? 'an object'
        : typeof value

/** Whether a flag is declared. Nothing is inferred from another flag, and nothing is inherited. */
export function hasFlag(capabilities: JsonObject, flag: Flag): boolean {
  let value: Json | undefined = capabilities
  for (const member of flag.path) value = own(value, member)
  return flag.counts === 'true' ? value === true : isObject(value)
}

/** A flag as it is written in messages: `resources.subscribe`. */
export function flagName(flag: Flag): string {
  return flag.path.map((member) => (/^\w+$/.test(member) ? member : JSON.stringify(member))).join('.')
}

/**
 * Reads what a server declares. The presence of an object is support; `subscribe` and `listChanged` count only as
 * `true`. Anything malformed is dropped with a diagnostic; unknown members are kept.
 */
export function readServerCapabilities(declared: unknown): {
  readonly capabilities: JsonObject
  readonly diagnostics: readonly Diagnostic[]
} {
  const diagnostics: Diagnostic[] = []
  const report = (code: Diagnostic['code'], path: string, message: string) =>
    diagnostics.push({ code, path, message })
  if (!isObject(declared)) {
    report(
      'malformed-capabilities',
      '',
      `capabilities is ${kind(declared as Json)}, not an object: nothing counts as declared`,
    )
    return { capabilities: {}, diagnostics }
  }
  const kept: [string, Json][] = []
  for (const [name, value] of Object.entries(declared)) {
    if (value === undefined) continue
    if (CLIENT_ONLY.includes(name)) {
      report(
        'not-a-server-capability',
        name,
        `${name} is a capability of clients; a server's own has no effect`,
      )
    } else if ((SERVER_CAPABILITIES.includes(name) || MAPS.includes(name)) && !isObject(value)) {
      report(
        'malformed-capability',
        name,
        `${name} is ${kind(value)}, not an object: it counts as not declared`,
      )
      continue
    }
    kept.push([name, isObject(value) ? readFlags(name, value, report) : value])
  }
  return { capabilities: Object.fromEntries(kept), diagnostics }
}

function readFlags(
  name: string,
  value: JsonObject,
  report: (code: Diagnostic['code'], path: string, message: string) => void,
): JsonObject {
  const bad = (SERVER_FLAGS.get(name) ?? []).filter((flag) => {
    const found = own(value, flag)
    return found !== undefined && typeof found !== 'boolean'
  })
  if (bad.length === 0) return value
  for (const flag of bad) {
    const path = `${name}.${flag}`
    report(
      'malformed-flag',
      path,
      `${path} is ${kind(own(value, flag))}, not true or false: it counts as false`,
    )
  }
  return Object.fromEntries(Object.entries(value).filter(([member]) => !bad.includes(member)))
}

/**
 * Reads what a client declares, with what it implies spelt out: an `elicitation` that names neither mode means the form
 * mode (2025-11-25). Anything malformed is dropped with a diagnostic, and an `elicitation` that has no other mode with
 * it, since an empty one would mean a mode that was not declared. Unknown members are kept.
 */
export function readClientCapabilities(declared: unknown): {
  readonly capabilities: JsonObject
  readonly diagnostics: readonly Diagnostic[]
} {
  const diagnostics: Diagnostic[] = []
  const malformed = (code: Diagnostic['code'], path: string, value: unknown, due: string, so: string) => {
    const message = `${path || 'capabilities'} is ${kind(value as Json)}, not ${due}: ${so}`
    diagnostics.push({ code, path, message })
  }
  if (!isObject(declared)) {
    malformed('malformed-capabilities', '', declared, 'an object', 'nothing counts as declared')
    return { capabilities: {}, diagnostics }
  }
  const known = [...CLIENT_MEMBERS.keys(), ...MAPS]
  const kept = Object.entries(declared).flatMap(([name, value]): [string, Json][] => {
    if (value === undefined) return []
    if (!isObject(value)) {
      if (!known.includes(name)) return [[name, value]]
      malformed('malformed-capability', name, value, 'an object', 'it counts as not declared')
      return []
    }
    const members = Object.entries(value).filter(([member, found]) => {
      const due = own(CLIENT_MEMBERS.get(name), member)
      if (found === undefined) return false
      if (due === undefined || (due === 'object' ? isObject(found) : typeof found === 'boolean')) return true
      const wanted = due === 'object' ? 'an object' : 'true or false'
      malformed('malformed-flag', `${name}.${member}`, found, wanted, 'it counts as not declared')
      return false
    })
    const read = Object.fromEntries(members)
    if (name !== 'elicitation' || MODES.some((mode) => own(read, mode))) return [[name, read]]
    return MODES.some((mode) => own(value, mode) !== undefined) ? [] : [[name, { ...read, form: {} }]]
  })
  return { capabilities: Object.fromEntries(kept), diagnostics }
}

/** What counts of a client's capabilities, as {@link readClientCapabilities} reads them. */
export const normalizeClientCapabilities = (declared: object): JsonObject =>
  readClientCapabilities(declared).capabilities
