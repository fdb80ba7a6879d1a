import {
  digestDefinition,
  digestInstructions,
  emptyLock,
  fingerprintEndpoint,
  formatLock,
  type Json,
  type JsonObject,
  type LockedDefinition,
  type LockedServer,
  parseLock,
  servedSurface,
  withServer,
} from '@truename/tool-registry'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { narrowEntry } from './narrow-entry.ts'

const names = ['a', 'b', 'c'] as const

const definitions = (member: 'name' | 'uriTemplate') =>
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(...names), fc.constantFrom('old', 'new ${cwd}')), {
      selector: ([name]) => name,
    })
    .map((entries): ReadonlyMap<string, LockedDefinition> => {
      const sorted = [...entries].sort(([one], [other]) => (one < other ? -1 : 1))
      return new Map(
        sorted.map(([name, description]) => {
          const definition: JsonObject = { [member]: name, description, inputSchema: { type: 'object' } }
          return [name, { digest: digestDefinition(definition), definition }]
        }),
      )
    })

const uris = fc.subarray(['docs://a', 'docs://b'])

const promise = fc.oneof(
  fc.boolean(),
  fc.constantFrom<Json>(1, 2, 'text', null, ['a']),
  fc.record({ deep: fc.boolean() }, { requiredKeys: [] }),
)
const capabilities: fc.Arbitrary<JsonObject> = fc.record(
  {
    tools: fc.record({ listChanged: promise }, { requiredKeys: [] }),
    prompts: fc.constant({}),
    resources: fc.record({ subscribe: fc.boolean(), listChanged: promise }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
)

/** What capabilities promise, one text each; what is false promises nothing. */
const promises = (value: Json | undefined, path: string): readonly string[] => {
  if (typeof value === 'boolean') return value ? [`${path} yes`] : []
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [`${path} ${JSON.stringify(value)}`]
  return [path, ...Object.entries(value).flatMap(([member, inner]) => promises(inner, `${path}.${member}`))]
}

const entry: fc.Arbitrary<LockedServer> = fc
  .record({
    tools: definitions('name'),
    prompts: definitions('name'),
    templates: definitions('uriTemplate'),
    instructions: fc.constantFrom(null, 'Do this.', 'Do that.'),
    capabilities,
    uriSpace: fc.record({ templates: uris, prefixes: uris, exact: uris }),
    fills: fc.boolean(),
    pointers: fc.subarray(names.map((name) => `/tools/${name}/description`)),
  })
  .map(({ instructions, pointers, fills, ...rest }) => ({
    ...rest,
    id: 's',
    profile: 'default',
    endpoint: fingerprintEndpoint({ command: 'node' }),
    serverInfo: null,
    era: 'modern',
    version: '2026-07-28',
    clientCapabilities: {},
    modes: { pin: 'locked', uris: 'plain', resources: 'on' },
    substitutions: fills ? { cwd: pointers } : {},
    instructions:
      instructions === null
        ? null
        : { text: instructions, digest: digestInstructions(instructions) as string },
    extra: {},
  }))

const show = (one: LockedServer): string => formatLock(withServer(emptyLock, one))

/** What an entry lets through, one text each. */
const approves = ({ tools, prompts, templates, instructions, capabilities, ...rest }: LockedServer) =>
  new Set([
    ...Object.entries({ tools, prompts, templates }).flatMap(([list, map]) =>
      [...map].map(([name, { digest }]) => `${list} ${name} ${digest}`),
    ),
    ...(instructions ? [`instructions ${instructions.digest}`] : []),
    ...promises(capabilities, 'capabilities'),
    ...Object.entries(rest.uriSpace).flatMap(([space, list]) => list.map((uri: string) => `${space} ${uri}`)),
    ...Object.entries(rest.substitutions).flatMap(([what, list]) => list.map((at) => `${what} ${at}`)),
  ])

describe('an entry narrowed by another version of it', () => {
  it('fills no place of a placeholder that the other does not have, whatever objects inherit', () => {
    const [any] = fc.sample(entry, 1) as [LockedServer]
    const now = { ...any, substitutions: { constructor: ['/tools/a'], cwd: ['/tools/b'] } } as LockedServer
    const next = { ...now, substitutions: { cwd: ['/tools/b', '/tools/c'] } } as LockedServer
    expect(narrowEntry(now, next)?.substitutions).toEqual({ constructor: [], cwd: ['/tools/b'] })
  })

  it('approves exactly what both do, is a whole entry, and stays what it is when narrowed again', () => {
    fc.assert(
      fc.property(entry, entry, (now, next) => {
        const narrowed = narrowEntry(now, next) as LockedServer
        const both = approves(next)
        expect(approves(narrowed)).toEqual(new Set([...approves(now)].filter((one) => both.has(one))))
        expect(formatLock(parseLock(show(narrowed)))).toBe(show(narrowed))
        expect(() => servedSurface(narrowed, { cwd: '/work' })).not.toThrow()
        expect(show(narrowEntry(narrowed, next) as LockedServer)).toBe(show(narrowed))
        expect(show(narrowEntry(now, now) as LockedServer)).toBe(show(now))
      }),
    )
  })

  it('is none where the other speaks of another endpoint, profile or way to serve', () => {
    fc.assert(
      fc.property(
        entry,
        fc.constantFrom<Partial<LockedServer>>(
          { profile: 'admin' },
          { endpoint: fingerprintEndpoint({ command: 'deno' }) },
          { clientCapabilities: { sampling: {} } },
          { modes: { pin: 'live', uris: 'plain', resources: 'on' } },
        ),
        (now, other) => {
          expect(narrowEntry(now, { ...now, ...other })).toBeUndefined()
          expect(narrowEntry({ ...now, ...other }, now)).toBeUndefined()
        },
      ),
    )
  })
})
