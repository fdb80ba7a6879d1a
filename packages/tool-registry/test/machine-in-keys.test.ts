import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fingerprintEndpoint } from '../src/lib/endpoint.ts'
import { formatLock } from '../src/lib/format-lock.ts'
import type { Json, JsonObject } from '../src/lib/json.ts'
import { emptyLock, withServer } from '../src/lib/lock.ts'
import { lockServer } from '../src/lib/lock-server.ts'
import { parseLock } from '../src/lib/parse-lock.ts'
import { servedSurface } from '../src/lib/served-surface.ts'
import {
  findSubstitutions,
  type MachineFacts,
  placeholderText,
  toSubstitutions,
} from '../src/lib/substitutions.ts'
import type { Surface } from '../src/lib/surface.ts'
import { verifySurface } from '../src/lib/verify-surface.ts'

const machine: MachineFacts = {
  cwd: '/home/ana/work',
  home: '/home/ana',
  hostname: 'ana-laptop',
  os: 'linux',
}
const endpoint = fingerprintEndpoint({ command: 'node' })

/**
 * Texts that hold values of the machine, what a JSON Pointer escapes, and placeholders: a term of the lock's format, the
 * `${home}` that it writes where the home folder stands. A server may send that very text.
 */
const text = fc
  .array(
    fc.constantFrom(
      ...Object.values(machine),
      ...Object.keys(machine).map(placeholderText),
      ...['$', '$$', '/', '~', '~1', ' ', 'a', 'é', '\ud800', '{x}', 'docs://', 'platform: ', '__proto__'],
    ),
    { maxLength: 4 },
  )
  .map((parts) => parts.join(''))
const json = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 2 },
    text,
    fc.constantFrom<Json>(null, true, 1),
    fc.array(tie('json'), { maxLength: 2 }),
    fc.dictionary(text, tie('json'), { maxKeys: 2 }),
  ) as fc.Arbitrary<Json>,
})).json
const members = fc.dictionary(
  fc.oneof(fc.constantFrom('description', 'name', 'uriTemplate', 'inputSchema', 'uri', 'tools'), text),
  json,
  { maxKeys: 3 },
)
const definitions = (member: 'name' | 'uriTemplate') =>
  fc.array(
    fc.tuple(members, text).map(([more, name]): JsonObject => ({ ...more, [member]: name })),
    { maxLength: 3 },
  )
const surfaces: fc.Arbitrary<Surface> = fc.record(
  {
    instructions: text,
    capabilities: members,
    serverInfo: members,
    version: text,
    tools: definitions('name'),
    prompts: definitions('name'),
    resourceTemplates: definitions('uriTemplate'),
    resources: fc.array(fc.record({ uri: text, name: text }), { maxLength: 2 }),
  },
  { requiredKeys: [] },
)

/** Pointers somebody may have written by hand: every string of the surface, its keys among them. */
const everywhere = (surface: Surface): string[] => {
  const pointers: string[] = []
  const walk = (value: unknown, pointer: string): void => {
    if (typeof value === 'string') pointers.push(pointer)
    else if (typeof value === 'object' && value !== null)
      for (const [name, child] of Object.entries(value))
        walk(child, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
  }
  walk(surface.instructions, '/instructions')
  for (const [list, shown, member] of [
    ['tools', surface.tools, 'name'],
    ['prompts', surface.prompts, 'name'],
    ['templates', surface.resourceTemplates, 'uriTemplate'],
  ] as const)
    walk(Object.fromEntries((shown ?? []).map((one) => [(one as JsonObject)[member], one])), `/${list}`)
  return pointers
}

describe('values of the machine in the keys of a lock', () => {
  it('are no substitutions: a key is compared exactly', () => {
    const surface: Surface = {
      tools: [{ name: `open ${machine.cwd}`, title: `Opens ${machine.cwd}` }],
      prompts: [{ name: machine.hostname, arguments: [{ name: machine.cwd }] }],
      resourceTemplates: [{ uriTemplate: `file://${machine.cwd}/{path}`, name: `in ${machine.cwd}` }],
    }
    expect(findSubstitutions(surface, machine).map(({ pointer }) => pointer)).toEqual([
      '/tools/open ~1home~1ana~1work/title',
      '/prompts/ana-laptop/arguments/0/name',
      '/templates/file:~1~1~1home~1ana~1work~1{path}/name',
    ])
  })

  it('never make a lock that cannot be read, whatever is substituted', () => {
    fc.assert(
      fc.property(surfaces, fc.boolean(), (surface, byHand) => {
        const pointers = byHand ? everywhere(surface) : []
        const substitutions = byHand
          ? Object.fromEntries(Object.keys(machine).map((name) => [name, pointers]))
          : toSubstitutions(findSubstitutions(surface, machine))
        const { server, notLocked } = lockServer({ id: 's', endpoint, surface, substitutions, machine })
        const file = formatLock(withServer(emptyLock, server))
        const lock = parseLock(file)
        expect(formatLock(lock)).toBe(file)
        const [locked] = lock.servers
        if (locked === undefined) throw new Error('not read back')
        expect(verifySurface(locked, surface, { machine }).held).toEqual([])
        const served = servedSurface(locked, machine)
        expect(served.instructions).toBe(surface.instructions ?? null)
        expect(served.resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
          ...locked.templates.keys(),
        ])
        for (const tool of served.tools)
          if (notLocked.length === 0)
            expect(surface.tools).toContainEqual(JSON.parse(JSON.stringify(tool)) as JsonObject)
      }),
      { numRuns: 200 },
    )
  })
})
