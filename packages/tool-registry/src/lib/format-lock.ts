import { byCodeUnits, type JsonObject } from './json.ts'
import type { Lock, LockedDefinition, LockedServer } from './lock.ts'
import { block, entries, indent, lineOf, member } from './lock-text.ts'

/**
 * The most lines a definition may take. A hunk of a diff holds up to six unchanged lines between two changed ones
 * (three of context on each side), so a change anywhere is one hunk with the change of the digest above it.
 */
const definitionLines = 7

/**
 * The text of a lock: sorted, a line per member of a definition, every character that does not show escaped, a line
 * break at the end. The same lock always gives the same text, and {@link parseLock} reads the same lock back.
 */
export function formatLock(lock: Lock): string {
  const byId = new Map<string, LockedServer[]>()
  for (const server of [...lock.servers].sort((a, b) => byCodeUnits(a.profile, b.profile))) {
    byId.set(server.id, [...(byId.get(server.id) ?? []), server])
  }
  const servers = sortedBy(byId).map(([id, profiles]) =>
    member(id, entries(profiles.map((server) => member(server.profile, formatServer(server))))),
  )
  return `${block([
    member('lockVersion', [lineOf(lock.lockVersion)]),
    ...formatExtra(lock.extra),
    member('servers', entries(servers)),
  ]).join('\n')}\n`
}

const sortedBy = <T>(map: ReadonlyMap<string, T>): [string, T][] =>
  [...map].sort(([a], [b]) => byCodeUnits(a, b))

const formatExtra = (extra: JsonObject): string[][] =>
  Object.keys(extra)
    .sort()
    .map((name) => member(name, [lineOf(extra[name])]))

function formatServer(server: LockedServer): string[] {
  const { fingerprint, ...endpoint } = server.endpoint
  return block([
    member('endpoint', block([member('fingerprint', [lineOf(fingerprint)]), ...formatExtra(endpoint)])),
    member('serverInfo', [lineOf(server.serverInfo)]),
    member('era', [lineOf(server.era)]),
    member('version', [lineOf(server.version)]),
    member('capabilities', [lineOf(server.capabilities)]),
    member('clientCapabilities', [lineOf(server.clientCapabilities)]),
    member('modes', block(formatExtra({ ...server.modes }))),
    member('uriSpace', block(formatExtra({ ...server.uriSpace }))),
    member(
      'substitutions',
      entries(
        Object.keys(server.substitutions)
          .sort()
          .map((name) =>
            member(name, [
              '[',
              ...indent(
                (server.substitutions[name] ?? []).map(
                  (pointer, at) => `${at === 0 ? '' : ', '}${lineOf(pointer)}`,
                ),
              ),
              ']',
            ]),
          ),
      ),
    ),
    ...formatExtra(server.extra),
    member(
      'instructions',
      server.instructions === null ? ['null'] : block(formatExtra({ ...server.instructions })),
    ),
    member('tools', formatDefinitions(server.tools)),
    member('prompts', formatDefinitions(server.prompts)),
    member('templates', formatDefinitions(server.templates)),
  ])
}

const formatDefinitions = (definitions: ReadonlyMap<string, LockedDefinition>): string[] =>
  entries(sortedBy(definitions).map(([name, entry]) => member(name, formatEntry(entry))))

function formatEntry({ digest, definition, extra }: LockedDefinition): string[] {
  const known = ['digest', ...Object.keys(extra ?? {}).sort()]
    .map((name) => `${lineOf(name)}: ${lineOf(name === 'digest' ? digest : extra?.[name])}`)
    .join(', ')
  const names = Object.keys(definition).sort()
  const perLine = Math.ceil(names.length / definitionLines)
  const lines: string[] = []
  for (let at = 0; at < names.length; at += perLine) {
    const line = names
      .slice(at, at + perLine)
      .map((name) => `${lineOf(name)}: ${lineOf(definition[name])}`)
      .join(', ')
    lines.push(at + perLine < names.length ? `${line},` : line)
  }
  return ['{', `  ${known}, "definition": {`, ...indent(indent(lines)), '  }', '}']
}
