import * as z from 'zod'
import { digestText, tryDigestDefinition } from './digest.ts'
import { type EndpointFingerprint, endpointAddsUp } from './endpoint.ts'
import { byCodeUnits, isObject, type JsonObject } from './json.ts'
import { findRepeatedMember } from './json-text.ts'
import type { Lock, LockedDefinition, LockedServer } from './lock.ts'
import { type JsonPath, pointerOf } from './pointer.ts'
import { type CatalogueList, nameMember } from './surface.ts'

/** What can be wrong with the text of a lock. */
export type LockProblemCode =
  | 'not-json'
  | 'merge-conflict'
  | 'repeated-member'
  | 'unknown-version'
  | 'invalid-member'
  | 'digest-mismatch'
  | 'name-mismatch'
  | 'endpoint-mismatch'

/** One thing that is wrong with a lock, and where. */
export interface LockProblem {
  readonly code: LockProblemCode
  /** JSON Pointer into the file. */
  readonly pointer: string
  readonly message: string
  /** For digests: what the file says, and what its content adds up to. */
  readonly recorded?: string | undefined
  readonly computed?: string | undefined
}

/** A lock that cannot be used. `problems` names every entry that is wrong. */
export class LockError extends Error {
  readonly code = 'lock'
  readonly problems: readonly LockProblem[]
  constructor(problems: readonly LockProblem[]) {
    const [first] = problems
    const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
    super(`The lock file cannot be used: ${first?.message} at ${first?.pointer || 'the top'}${more}`)
    this.name = 'LockError'
    this.problems = problems
  }
}

const hex = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal digits')
const object = z.custom<JsonObject>(isObject, 'must be an object')
const strings = z.array(z.string())

const serverShape = {
  endpoint: z.looseObject({ fingerprint: hex, transport: z.enum(['stdio', 'http']) }),
  serverInfo: object.nullable(),
  era: z.enum(['legacy', 'modern']),
  version: z.string(),
  capabilities: object,
  clientCapabilities: object,
  modes: z.looseObject({
    pin: z.enum(['locked', 'live']),
    uris: z.enum(['plain', 'prefixed']),
    resources: z.enum(['on', 'off']),
  }),
  uriSpace: z.looseObject({ templates: strings, prefixes: strings, exact: strings }),
  substitutions: object,
  instructions: z.looseObject({ digest: hex, text: z.string() }).nullable(),
  tools: object,
  prompts: object,
  templates: object,
}
const serverSchema = z.looseObject(serverShape)
const entrySchema = z.looseObject({ digest: hex, definition: object })
const reservedNames = ['id', 'profile', 'extra']

/**
 * Reads a lock and checks that it adds up: every digest, every endpoint fingerprint, every name. Members this
 * version does not know are kept.
 *
 * @throws {LockError} with every problem found
 */
export function parseLock(text: string): Lock {
  const result = readLock(text)
  if (result.problems.length > 0 || result.lock === undefined) throw new LockError(result.problems)
  return result.lock
}

/** What {@link readLock} found: a lock, or what is wrong with the text. */
export interface LockReading {
  /** Present if there are no problems. */
  readonly lock: Lock | undefined
  readonly problems: readonly LockProblem[]
}

/** Reads a lock without throwing: every problem in order, and the lock only if there are none. */
export function readLock(text: string): LockReading {
  const problems: LockProblem[] = []
  const source = text.replace(/^\uFEFF/, '')
  const file = parseFile(source, problems)
  if (file === undefined) return { lock: undefined, problems }
  const { lockVersion, servers, ...extra } = file
  if (lockVersion !== 1) {
    const message = `lock version ${JSON.stringify(lockVersion)} is not one this version can read (it reads 1)`
    problems.push({ code: 'unknown-version', pointer: '/lockVersion', message })
    return { lock: undefined, problems }
  }
  const read: LockedServer[] = []
  for (const [id, profiles] of membersOf(servers, ['servers'], problems)) {
    for (const [profile, value] of membersOf(profiles, ['servers', id], problems)) {
      const server = readServer(id, profile, value, problems)
      if (server) read.push(server)
    }
  }
  return { lock: problems.length === 0 ? { lockVersion: 1, servers: read, extra } : undefined, problems }
}

function parseFile(source: string, problems: LockProblem[]): JsonObject | undefined {
  let file: unknown
  try {
    file = JSON.parse(source)
  } catch (error) {
    const conflict = /^<{7} /m.test(source)
    problems.push({
      code: conflict ? 'merge-conflict' : 'not-json',
      pointer: '',
      message: conflict
        ? 'the file holds the marks of an unresolved merge; lock the servers again to resolve it'
        : `the file is not JSON (${(error as Error).message})`,
    })
    return undefined
  }
  const repeated = findRepeatedMember(source)
  if (repeated !== undefined) {
    problems.push({
      code: 'repeated-member',
      pointer: repeated,
      message:
        'a member stands twice in one object, as a merge can leave it; lock the servers again to resolve it',
    })
    return undefined
  }
  if (isObject(file)) return file
  problems.push({ code: 'invalid-member', pointer: '', message: 'the file must hold an object' })
  return undefined
}

function membersOf(value: unknown, path: JsonPath, problems: LockProblem[]): [string, unknown][] {
  if (isObject(value)) return Object.entries(value).sort(([a], [b]) => byCodeUnits(a, b))
  problems.push({ code: 'invalid-member', pointer: pointerOf(path), message: 'must be an object' })
  return []
}

function check<T>(
  schema: z.ZodType<T>,
  value: unknown,
  path: JsonPath,
  problems: LockProblem[],
): T | undefined {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  for (const issue of result.error.issues) {
    const pointer = pointerOf([
      ...path,
      ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part)),
    ])
    problems.push({ code: 'invalid-member', pointer, message: issue.message })
  }
  return undefined
}

function readServer(
  id: string,
  profile: string,
  value: unknown,
  problems: LockProblem[],
): LockedServer | undefined {
  const path: JsonPath = ['servers', id, profile]
  const entry = check(serverSchema, value, path, problems)
  if (entry === undefined || !isObject(value)) return undefined
  for (const name of reservedNames.filter((reserved) => Object.hasOwn(value, reserved))) {
    problems.push({ code: 'invalid-member', pointer: pointerOf([...path, name]), message: 'a reserved name' })
  }
  const endpoint = entry.endpoint as EndpointFingerprint
  if (!endpointAddsUp(endpoint)) {
    problems.push({
      code: 'endpoint-mismatch',
      pointer: pointerOf([...path, 'endpoint', 'fingerprint']),
      message: 'the endpoint does not add up to its fingerprint',
      recorded: endpoint.fingerprint,
    })
  }
  checkInstructions(entry.instructions, path, problems)
  return {
    id,
    profile,
    endpoint,
    serverInfo: entry.serverInfo,
    era: entry.era,
    version: entry.version,
    capabilities: entry.capabilities,
    clientCapabilities: entry.clientCapabilities,
    modes: entry.modes,
    uriSpace: entry.uriSpace,
    substitutions: readSubstitutions(entry.substitutions, path, problems),
    instructions: entry.instructions,
    tools: readDefinitions('tools', entry.tools, path, problems),
    prompts: readDefinitions('prompts', entry.prompts, path, problems),
    templates: readDefinitions('templates', entry.templates, path, problems),
    extra: Object.fromEntries(
      Object.entries(value).filter(
        ([name]) => !Object.hasOwn(serverShape, name) && !reservedNames.includes(name),
      ),
    ),
  }
}

function readSubstitutions(value: JsonObject, path: JsonPath, problems: LockProblem[]) {
  const read = Object.entries(value).map(([placeholder, pointers]): [string, string[]] => [
    placeholder,
    check(strings, pointers, [...path, 'substitutions', placeholder], problems) ?? [],
  ])
  return Object.fromEntries(read)
}

function checkInstructions(
  instructions: { readonly digest: string; readonly text: string } | null,
  path: JsonPath,
  problems: LockProblem[],
): void {
  if (instructions === null) return
  const computed = digestText(instructions.text)
  if (computed === instructions.digest) return
  problems.push(mismatch([...path, 'instructions'], 'the instructions', instructions.digest, computed))
}

function readDefinitions(list: CatalogueList, value: JsonObject, path: JsonPath, problems: LockProblem[]) {
  const read = new Map<string, LockedDefinition>()
  for (const [name, item] of membersOf(value, [...path, list], problems)) {
    const at: JsonPath = [...path, list, name]
    const entry = check(entrySchema, item, at, problems)
    if (!entry) continue
    const { digest, definition } = entry
    const { digest: _, definition: __, ...extra } = item as JsonObject
    const computed = tryDigestDefinition(definition)
    if (computed !== digest)
      problems.push(mismatch(at, `${list}: the entry ${JSON.stringify(name)}`, digest, computed))
    if (definition[nameMember[list]] !== name) {
      const message = `the definition's own ${nameMember[list]} is not ${JSON.stringify(name)}`
      problems.push({ code: 'name-mismatch', pointer: pointerOf(at), message })
    }
    read.set(
      name,
      Object.keys(extra).length === 0
        ? { digest, definition }
        : { digest, definition, extra: extra as JsonObject },
    )
  }
  return read
}

const mismatch = (
  path: JsonPath,
  what: string,
  recorded: string,
  computed: string | undefined,
): LockProblem => ({
  code: 'digest-mismatch',
  pointer: pointerOf(path),
  message: `${what} no longer adds up to its digest: it was edited by hand; lock it again after review`,
  recorded,
  computed,
})
