import { canonicalJson } from './canonical-json.ts'
import type { JsonObject } from './json.ts'
import type { LockedDefinition, LockedServer } from './lock.ts'
import { type MachineFacts, materialize } from './substitutions.ts'
import type { CatalogueList } from './surface.ts'

/** What is served of a server: the approved definitions, with this machine's own values in their places. */
export interface ServedSurface {
  readonly instructions: string | null
  readonly tools: readonly JsonObject[]
  readonly prompts: readonly JsonObject[]
  readonly resourceTemplates: readonly JsonObject[]
}

/** Placeholders of a lock for which no value of the machine was given. */
export class MissingMachineFactError extends Error {
  readonly code = 'missing-machine-fact'
  readonly placeholders: readonly string[]
  constructor(server: string, placeholders: readonly string[]) {
    super(
      `Server ${JSON.stringify(server)} is locked with \${${placeholders.join('}, ${')}}: give their values`,
    )
    this.name = 'MissingMachineFactError'
    this.placeholders = placeholders
  }
}

/**
 * The approved surface as it is served: sorted by name, members in canonical order, so that the same lock and
 * machine always give the same bytes, whatever the server sends and in whatever order.
 *
 * @throws {MissingMachineFactError} if the lock has substitutions for which the machine gives no value
 */
export function servedSurface(locked: LockedServer, machine: MachineFacts = {}): ServedSurface {
  const missing = Object.keys(locked.substitutions).filter(
    (placeholder) => !Object.hasOwn(machine, placeholder),
  )
  if (missing.length > 0) throw new MissingMachineFactError(locked.id, missing)
  const serve = (list: CatalogueList): JsonObject[] =>
    [...locked[list]].map(([name, entry]) => materializeEntry(locked, list, name, entry, machine))
  const text = locked.instructions?.text ?? null
  return {
    instructions:
      text === null ? null : (materialize(text, ['instructions'], locked.substitutions, machine) as string),
    tools: serve('tools'),
    prompts: serve('prompts'),
    resourceTemplates: serve('templates'),
  }
}

function materializeEntry(
  locked: LockedServer,
  list: CatalogueList,
  name: string,
  { definition }: LockedDefinition,
  machine: MachineFacts,
): JsonObject {
  const served = materialize(definition, [list, name], locked.substitutions, machine)
  return JSON.parse(canonicalJson(served)) as JsonObject
}
