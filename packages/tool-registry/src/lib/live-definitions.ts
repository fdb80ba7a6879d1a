import { tryDigestDefinition } from './digest.ts'
import { isObject, type Json, type JsonObject } from './json.ts'
import type { LockedServer } from './lock.ts'
import { type MachineFacts, substitute } from './substitutions.ts'
import { type CatalogueList, listOf, ownName, type Surface } from './surface.ts'

/** A definition a server shows now, with the lock's substitutions applied. */
export interface LiveDefinition {
  readonly definition: JsonObject
  /** Undefined where the definition has no canonical form. */
  readonly digest: string | undefined
}

/** The definitions of one list by name, and how many have no name. */
export interface LiveList {
  readonly byName: ReadonlyMap<string, readonly LiveDefinition[]>
  readonly nameless: number
}

/** Reads one list of a live surface for comparison with a lock entry. */
export function readLiveList(
  locked: LockedServer,
  surface: Surface,
  list: CatalogueList,
  machine: MachineFacts,
): LiveList {
  const byName = new Map<string, LiveDefinition[]>()
  let nameless = 0
  for (const sent of listOf(surface, list)) {
    const name = ownName(sent, list)
    if (name === undefined || !isObject(sent)) {
      nameless += 1
      continue
    }
    const live = read(sent, () => substitute(sent, [list, name], locked.substitutions, machine))
    const others = byName.get(name)
    if (others) others.push(live)
    else byName.set(name, [live])
  }
  return { byName, nameless }
}

function read(sent: JsonObject, substituted: () => Json): LiveDefinition {
  const digest = tryDigestDefinition(sent)
  if (digest === undefined) return { definition: sent, digest }
  const definition = substituted() as JsonObject
  return { definition, digest: definition === sent ? digest : tryDigestDefinition(definition) }
}
