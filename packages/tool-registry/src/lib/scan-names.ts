import { looseSkeleton, mixedScripts, skeleton } from './confusables.ts'
import type { Severity } from './drift.ts'
import type { Key } from './key.ts'
import { sanitizeName } from './sanitize.ts'
import type { ScanCode, ScanFinding } from './scan-finding.ts'
import { type CatalogueList, kindOf, listOf, ownName, type Surface } from './surface.ts'

/** A name where it stands. */
interface Named {
  readonly key: Key
  readonly pointer: string
}

const lists: readonly CatalogueList[] = ['tools', 'prompts', 'templates']
const partOf = { tools: 'tools', prompts: 'prompts', templates: 'resourceTemplates' } as const

/** Findings about the names of one surface, and about their likeness to names of other servers. */
export function scanNames(surface: Surface, server: string, others: readonly Key[]): ScanFinding[] {
  return lists.flatMap((list) => {
    const names: Named[] = []
    const findings: ScanFinding[] = []
    for (const [index, definition] of listOf(surface, list).entries()) {
      const pointer = `/${partOf[list]}/${index}`
      const name = ownName(definition, list)
      if (name === undefined) {
        findings.push(nameless(server, pointer))
        continue
      }
      names.push({
        key: { server, kind: kindOf[list], name },
        pointer: `${pointer}/${list === 'templates' ? 'uriTemplate' : 'name'}`,
      })
    }
    return [
      ...findings,
      ...names.flatMap((named) => [...(list === 'tools' ? legality(named) : []), ...spelling(named)]),
      ...twins(names),
      ...likeOthers(names, others),
    ]
  })
}

const nameless = (server: string, pointer: string): ScanFinding => ({
  code: 'nameless',
  severity: 'medium',
  server,
  key: undefined,
  pointer,
  characters: [],
  excerpt: '',
  message: 'a definition without a name that is a string: it can be neither locked nor called',
})

const finding = (
  { key, pointer }: Named,
  code: ScanCode,
  severity: Severity,
  message: string,
  others?: readonly Key[],
): ScanFinding => ({
  code,
  severity,
  server: key.server,
  key,
  pointer,
  characters: nonAscii(key.name),
  excerpt: [key, ...(others ?? [])].map(({ name }) => sanitizeName(name)).join(' | '),
  message,
  others,
})

function nonAscii(name: string) {
  const found: { codePoint: string; index: number }[] = []
  let index = 0
  for (const character of name) {
    const code = character.codePointAt(0) ?? 0
    if (code > 0x7e || code < 0x20) {
      found.push({ codePoint: `U+${code.toString(16).toUpperCase().padStart(4, '0')}`, index })
    }
    index += character.length
  }
  return found.slice(0, 32)
}

function legality(named: Named): ScanFinding[] {
  const { name } = named.key
  if (/^[A-Za-z0-9_.-]{1,128}$/.test(name)) return []
  const message =
    'a name outside 1 to 128 of A-Z a-z 0-9 _ - . (2025-11-25 and later, server/tools, tool names)'
  return [finding(named, 'illegal-name', 'low', message)]
}

function spelling(named: Named): ScanFinding[] {
  const { name } = named.key
  const mixed = mixedScripts(name)
  return [
    ...(mixed.length > 0
      ? [
          finding(
            named,
            'mixed-script-word',
            'high',
            `a name of letters from several alphabets (${mixed.join(', ')})`,
          ),
        ]
      : []),
    ...(name !== name.normalize('NFC')
      ? [
          finding(
            named,
            'not-normalised',
            'low',
            'a name that is not in Unicode normalization form C: it looks like another name',
          ),
        ]
      : []),
  ]
}

/** Names of one server that are the same, differ by case only, or look alike. */
function twins(names: readonly Named[]): ScanFinding[] {
  return [
    ...groups(names, ({ key }) => key.name, true).map(([first, ...rest]) =>
      finding(
        first,
        'repeated-name',
        'high',
        'a name that stands for several definitions',
        rest.map(({ key }) => key),
      ),
    ),
    ...groups(names, ({ key }) => key.name.toLowerCase()).map(([first, ...rest]) =>
      finding(
        first,
        'case-twins',
        'medium',
        'names that differ by case only; they are different tools',
        rest.map(({ key }) => key),
      ),
    ),
    ...groups(names, ({ key }) => skeleton(key.name))
      .filter((group) => new Set(group.map(({ key }) => key.name.toLowerCase())).size > 1)
      .map(([first, ...rest]) => {
        const severity = [first, ...rest].some(({ key }) => /[^\u0000-\u007F]/.test(key.name))
          ? 'high'
          : 'low'
        return finding(
          first,
          'confusable-names',
          severity,
          'different names that look alike',
          rest.map(({ key }) => key),
        )
      }),
  ]
}

function likeOthers(names: readonly Named[], others: readonly Key[]): ScanFinding[] {
  if (others.length === 0) return []
  const exact = new Map<string, Key[]>()
  const alike = new Map<string, Key[]>()
  for (const key of others) {
    push(exact, `${key.kind} ${key.name}`, key)
    push(alike, `${key.kind} ${looseSkeleton(key.name)}`, key)
  }
  return names.flatMap((named) => {
    const { kind, name, server } = named.key
    const elsewhere = (keys: readonly Key[] | undefined): Key[] =>
      (keys ?? []).filter((key) => key.server !== server)
    const same = elsewhere(exact.get(`${kind} ${name}`))
    const like = elsewhere(alike.get(`${kind} ${looseSkeleton(name)}`)).filter((key) => key.name !== name)
    const disguised = like.filter(
      (key) => skeleton(key.name) === skeleton(name) || /[^\u0000-\u007F]/.test(key.name + name),
    )
    return [
      ...(same.length > 0
        ? [finding(named, 'shared-name', 'info', 'a name that other servers have too', same)]
        : []),
      ...(disguised.length > 0
        ? [finding(named, 'homograph', 'high', "a name that looks like another server's", disguised)]
        : like.length > 0
          ? [
              finding(
                named,
                'homograph',
                'info',
                "a name that differs from another server's by case or punctuation only",
                like,
              ),
            ]
          : []),
    ]
  })
}

const push = (map: Map<string, Key[]>, id: string, key: Key): void => {
  const keys = map.get(id)
  if (keys) keys.push(key)
  else map.set(id, [key])
}

type Group = [Named, ...Named[]]

/** Groups of several names with the same mark: of different names, or, if asked for, of the same name. */
function groups(names: readonly Named[], mark: (named: Named) => string, same = false): Group[] {
  const byMark = new Map<string, Named[]>()
  for (const named of names) {
    const group = byMark.get(mark(named)) ?? []
    if (same || group.every(({ key }) => key.name !== named.key.name))
      byMark.set(mark(named), [...group, named])
  }
  return [...byMark.values()].filter((group): group is Group => group.length > 1)
}

/** The keys of everything a surface names. */
export const keysOfSurface = (surface: Surface, server: string): Key[] =>
  lists.flatMap((list) =>
    listOf(surface, list).flatMap((definition) => {
      const name = ownName(definition, list)
      return name === undefined ? [] : [{ server, kind: kindOf[list], name }]
    }),
  )
