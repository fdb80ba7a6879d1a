import { isJsonObject } from '@truename/mcp-link'
import { canonicalJson, type Json, type LockedDefinition, type LockedServer } from '@truename/tool-registry'

/** What an entry without the rest of it would be another entry of. */
const frameOf = ({ id, profile, endpoint, clientCapabilities, modes }: LockedServer): string =>
  canonicalJson({ id, profile, endpoint: endpoint.fingerprint, clientCapabilities, modes: { ...modes } })

/**
 * What two versions of a server's entry both approve: definitions by their digests, and no more of anything than
 * either has. `undefined` where they speak of different endpoints or ways to serve.
 */
export function narrowEntry(now: LockedServer, next: LockedServer): LockedServer | undefined {
  if (frameOf(now) !== frameOf(next)) return undefined
  const spaces = ['templates', 'prefixes', 'exact'] as const
  return {
    ...now,
    capabilities: promisedByBoth(now.capabilities, next.capabilities) as LockedServer['capabilities'],
    instructions: now.instructions?.digest === next.instructions?.digest ? now.instructions : null,
    tools: common(now.tools, next.tools),
    prompts: common(now.prompts, next.prompts),
    templates: common(now.templates, next.templates),
    uriSpace: Object.fromEntries(
      spaces.map((space) => [space, now.uriSpace[space].filter((one) => next.uriSpace[space].includes(one))]),
    ) as unknown as LockedServer['uriSpace'],
    substitutions: substitutedByBoth(now.substitutions, next.substitutions),
  }
}

const common = (
  now: ReadonlyMap<string, LockedDefinition>,
  next: ReadonlyMap<string, LockedDefinition>,
): ReadonlyMap<string, LockedDefinition> =>
  new Map([...now].filter(([name, { digest }]) => next.get(name)?.digest === digest))

/**
 * The places that both fill with a value of this machine. A placeholder that the next version does not have fills none:
 * a definition that needs it there no longer equals what was approved, and is held back.
 */
const substitutedByBoth = (
  now: LockedServer['substitutions'],
  next: LockedServer['substitutions'],
): LockedServer['substitutions'] =>
  Object.fromEntries(
    Object.entries(now).map(([placeholder, pointers]) => {
      // What objects inherit, such as `constructor`, is no placeholder of the other version.
      const others = Object.hasOwn(next, placeholder) ? next[placeholder] : undefined
      return [placeholder, pointers.filter((pointer) => others?.includes(pointer))]
    }),
  )

/** What two capabilities both promise, member by member, however deep; of what else differs nothing. */
function promisedByBoth(now: Json, next: Json): Json | undefined {
  if (isJsonObject(now) && isJsonObject(next))
    return Object.fromEntries(
      Object.entries(now).flatMap(([member, value]) => {
        const other = Object.hasOwn(next, member) ? next[member] : undefined
        const both = other === undefined ? undefined : promisedByBoth(value as Json, other)
        return both === undefined ? [] : [[member, both]]
      }),
    )
  if (typeof now === 'boolean' && typeof next === 'boolean') return now && next
  return canonicalJson(now) === canonicalJson(next) ? now : undefined
}
