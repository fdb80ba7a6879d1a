import { canonicalJson } from './canonical-json.ts'
import { digestText, tryDigestDefinition } from './digest.ts'
import type { EndpointFingerprint } from './endpoint.ts'
import { byCodeUnits, type Json, type JsonObject } from './json.ts'
import type { Key } from './key.ts'
import type {
  LockedDefinition,
  LockedInstructions,
  LockedServer,
  LockModes,
  Substitutions,
  UriSpace,
} from './lock.ts'
import type { JsonPath } from './pointer.ts'
import { type MachineFacts, substitute } from './substitutions.ts'
import { type CatalogueList, kindOf, listOf, objectOf, ownName, type Surface } from './surface.ts'
import { uriSpaceOf } from './uri-space.ts'

/** What a lock entry is made from. */
export interface LockServerInput {
  /** The server's id in the operator's configuration. */
  readonly id: string
  readonly endpoint: EndpointFingerprint
  readonly surface: Surface
  /** What the client declared while the surface was listed. */
  readonly clientCapabilities?: object | undefined
  readonly profile?: string | undefined
  readonly modes?: Partial<LockModes> | undefined
  /** Computed from the surface unless given. */
  readonly uriSpace?: UriSpace | undefined
  /** Reviewed substitutions, from {@link findSubstitutions}. */
  readonly substitutions?: Substitutions | undefined
  /** This machine's values; needed where there are substitutions. */
  readonly machine?: MachineFacts | undefined
}

/** A definition that cannot be locked, and why. */
export interface NotLocked {
  /** The list and, where it has one, the name. */
  readonly list: CatalogueList
  readonly key: Key | undefined
  /** Its place in the list as sent. */
  readonly index: number
  readonly why: 'no-name' | 'no-canonical-form' | 'two-definitions'
  readonly message: string
}

/** A lock entry and what had to be left out of it. */
export interface LockServerResult {
  readonly server: LockedServer
  readonly notLocked: readonly NotLocked[]
}

/**
 * Makes the lock entry of a server from its live surface. A definition without a name or a canonical form is left
 * out and named; so are all definitions that share a name and differ, since none of them could be told from the
 * others at a call.
 */
export function lockServer(input: LockServerInput): LockServerResult {
  const { id, surface, substitutions = {}, machine = {} } = input
  const notLocked: NotLocked[] = []
  const lockList = (list: CatalogueList): ReadonlyMap<string, LockedDefinition> =>
    lockDefinitions({ id, list, surface, substitutions, machine, notLocked })
  const server: LockedServer = {
    id,
    profile: input.profile ?? 'default',
    endpoint: input.endpoint,
    serverInfo: surface.serverInfo ? objectOf(surface.serverInfo) : null,
    era: surface.era ?? 'legacy',
    version: surface.version ?? '',
    capabilities: objectOf(surface.capabilities),
    clientCapabilities: objectOf(input.clientCapabilities),
    modes: { pin: 'locked', uris: 'plain', resources: 'on', ...input.modes },
    uriSpace: input.uriSpace ?? uriSpaceOf(surface),
    substitutions,
    instructions: lockInstructions(surface.instructions, substitutions, machine),
    tools: lockList('tools'),
    prompts: lockList('prompts'),
    templates: lockList('templates'),
    extra: {},
  }
  return { server, notLocked }
}

/** The instructions as a lock holds them. */
export function lockInstructions(
  instructions: string | null | undefined,
  substitutions: Substitutions,
  machine: MachineFacts,
): LockedInstructions | null {
  if (instructions === null || instructions === undefined) return null
  const text = substitute(instructions, ['instructions'], substitutions, machine) as string
  return { digest: digestText(text), text }
}

interface ListInput {
  readonly id: string
  readonly list: CatalogueList
  readonly surface: Surface
  readonly substitutions: Substitutions
  readonly machine: MachineFacts
  readonly notLocked: NotLocked[]
}

function lockDefinitions({ id, list, surface, substitutions, machine, notLocked }: ListInput) {
  const locked = new Map<string, LockedDefinition>()
  const ambiguous = new Set<string>()
  for (const [index, sent] of listOf(surface, list).entries()) {
    const name = ownName(sent, list)
    const key: Key | undefined = name === undefined ? undefined : { server: id, kind: kindOf[list], name }
    const leaveOut = (why: NotLocked['why'], message: string): void => {
      notLocked.push({ list, key, index, why, message })
    }
    if (name === undefined) {
      leaveOut('no-name', 'a definition without a name that is a string')
      continue
    }
    const entry = lockDefinition(sent, [list, name], substitutions, machine)
    if (entry === undefined) {
      leaveOut('no-canonical-form', 'a definition without a canonical form')
      continue
    }
    const other = locked.get(name)
    if (other && other.digest !== entry.digest) {
      ambiguous.add(name)
      leaveOut('two-definitions', 'two different definitions share this name, so none of them is locked')
    } else locked.set(name, entry)
  }
  for (const name of ambiguous) locked.delete(name)
  return new Map([...locked].sort(([a], [b]) => byCodeUnits(a, b)))
}

function lockDefinition(
  sent: unknown,
  path: JsonPath,
  substitutions: Substitutions,
  machine: MachineFacts,
): LockedDefinition | undefined {
  if (tryDigestDefinition(sent) === undefined) return undefined
  // Parsing the canonical text gives members in canonical order and a value that nobody else holds.
  const text = canonicalJson(substitute(sent as Json, path, substitutions, machine))
  return { digest: digestText(text), definition: JSON.parse(text) as JsonObject }
}
