import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fingerprintEndpoint } from '../src/lib/endpoint.ts'
import { formatLock } from '../src/lib/format-lock.ts'
import { invisible } from '../src/lib/invisible.ts'
import type { Json, JsonObject } from '../src/lib/json.ts'
import { emptyLock, type Lock, lockedServer, withoutServer, withServer } from '../src/lib/lock.ts'
import { lockServer } from '../src/lib/lock-server.ts'
import { LockError, parseLock, readLock } from '../src/lib/parse-lock.ts'

const schemaFile = join(import.meta.dirname, '..', '..', '..', 'docs', 'truename.lock.schema.json')
const isLock = new Ajv2020({ strict: false }).compile(JSON.parse(readFileSync(schemaFile, 'utf8')) as object)
const endpoint = fingerprintEndpoint({ command: 'node', args: ['kb.js'] })

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom(
    '__proto__',
    'constructor',
    '10',
    '9',
    '',
    'a/b~c',
    '\u202E',
    '\u{E0041}',
    '\uD800',
    'é',
    'é'.normalize('NFD'),
    '"\\\n',
  ),
)
// RFC 8785 writes a negative zero as 0.
const value: fc.Arbitrary<Json> = fc
  .jsonValue({ noUnicodeString: false, maxDepth: 3 })
  .map((json) => JSON.parse(JSON.stringify(json)) as Json)
const definition =
  (name: string) =>
  (member: string): fc.Arbitrary<JsonObject> =>
    fc
      .dictionary(fc.oneof(text, fc.constantFrom('description', 'title', 'inputSchema')), value, {
        maxKeys: 10,
      })
      .map((more) => Object.fromEntries([...Object.entries(more), [member, name]]) as JsonObject)
const list = (member: string): fc.Arbitrary<JsonObject[]> =>
  fc
    .uniqueArray(text, { maxLength: 4 })
    .chain((names) => fc.tuple(...names.map((name) => definition(name)(member))))
const lock: fc.Arbitrary<Lock> = fc
  .uniqueArray(
    fc.record({
      id: text,
      profile: fc.constantFrom('default', 'admin', '__proto__'),
      tools: list('name'),
      prompts: list('name'),
      resourceTemplates: list('uriTemplate'),
      instructions: fc.option(text, { nil: undefined }),
      serverInfo: fc.option(fc.dictionary(text, value, { maxKeys: 2 }), { nil: undefined }),
    }),
    { maxLength: 3, selector: ({ id, profile }) => JSON.stringify([id, profile]) },
  )
  .map((servers) =>
    servers.reduce(
      (all, { id, profile, ...surface }) =>
        withServer(all, lockServer({ id, profile, endpoint, surface }).server),
      emptyLock,
    ),
  )

describe('the text of a lock', () => {
  it('reads back as the same lock, is a fixed point, and fits the published schema', () => {
    fc.assert(
      fc.property(lock, (one) => {
        const written = formatLock(one)
        expect(parseLock(written)).toEqual(one)
        expect(formatLock(parseLock(written))).toBe(written)
        expect(isLock(JSON.parse(written)), JSON.stringify(isLock.errors)).toBe(true)
      }),
      { numRuns: 40 },
    )
  })

  it('is the same whatever layout and order it was read from', () => {
    fc.assert(
      fc.property(lock, (one) => {
        const written = formatLock(one)
        const other = JSON.stringify(shuffled(JSON.parse(written) as Json), null, '\t').replaceAll(
          '\n',
          '\r\n',
        )
        expect(formatLock(parseLock(`\uFEFF${other}`))).toBe(written)
      }),
      { numRuns: 40 },
    )
  })

  it('holds no character that does not show, other than line breaks', () => {
    fc.assert(
      fc.property(lock, (one) => {
        for (const line of formatLock(one).split('\n')) expect(invisible.test(line)).toBe(false)
      }),
      { numRuns: 40 },
    )
  })

  it('keeps what it does not know: of the file, a server, an entry, an endpoint, a mode', () => {
    const { server } = lockServer({
      id: 'kb',
      endpoint,
      surface: { tools: [{ name: 'a' }], instructions: 'x' },
    })
    const file = JSON.parse(formatLock(withServer(emptyLock, server)))
    file['x-file'] = { b: 1, a: [2] }
    const entry = file.servers.kb.default
    entry['x-server'] = 'kept'
    entry.modes['x-mode'] = true
    entry.uriSpace['x-space'] = [1]
    entry.instructions['x-note'] = 'n'
    entry.tools.a['x-reviewed'] = { by: 'ana' }
    Object.defineProperty(entry.tools.a, '__proto__', { value: 1, enumerable: true })
    const written = formatLock(parseLock(JSON.stringify(file)))
    expect(JSON.parse(written)).toEqual(file)
    expect(formatLock(parseLock(written))).toBe(written)
  })

  it('keeps one entry for each authorization profile', () => {
    const entry = (profile: string, ...names: string[]) =>
      lockServer({ id: 'kb', profile, endpoint, surface: { tools: names.map((name) => ({ name })) } }).server
    const both = withServer(withServer(emptyLock, entry('default', 'read')), entry('admin', 'read', 'write'))
    const read = parseLock(formatLock(both))
    expect([...(lockedServer(read, 'kb')?.tools.keys() ?? [])]).toEqual(['read'])
    expect([...(lockedServer(read, 'kb', 'admin')?.tools.keys() ?? [])]).toEqual(['read', 'write'])
    expect(withServer(read, entry('admin', 'write')).servers).toHaveLength(2)
    expect(withoutServer(read, 'kb', 'admin').servers.map(({ profile }) => profile)).toEqual(['default'])
    expect(withoutServer(read, 'kb').servers).toEqual([])
  })
})

describe('reading a lock', () => {
  const { server } = lockServer({
    id: 'kb',
    endpoint,
    surface: {
      tools: [{ name: 'a', description: 'one' }, { name: 'b' }],
      prompts: [{ name: 'p' }],
      instructions: 'Be brief.',
    },
  })
  const good = formatLock(withServer(emptyLock, server))
  const problems = (source: string) =>
    readLock(source).problems.map(({ code, pointer }) => `${code} ${pointer}`)
  const edited = (...edits: readonly (readonly [pointer: string, value: unknown])[]): string => {
    const file = JSON.parse(good) as Record<string, unknown>
    for (const [pointer, value] of edits) {
      const path = pointer.split('/').slice(1)
      const last = path.pop() as string
      const parent = path.reduce<unknown>((at, member) => (at as Record<string, unknown>)[member], file)
      Object.assign(parent as object, { [last]: value })
    }
    return JSON.stringify(file)
  }

  it('finds nothing wrong with what was written', () => {
    expect(problems(good)).toEqual([])
  })

  const kb = '/servers/kb/default'
  const b = () =>
    (JSON.parse(good) as { servers: { kb: { default: { tools: { b: unknown } } } } }).servers.kb.default.tools
      .b

  it.each<[string, string, unknown, string]>([
    ['a description', `${kb}/tools/a/definition/description`, 'two', `digest-mismatch ${kb}/tools/a`],
    ['a digest', `${kb}/tools/b/digest`, '0'.repeat(64), `digest-mismatch ${kb}/tools/b`],
    ['instructions', `${kb}/instructions/text`, 'Be long.', `digest-mismatch ${kb}/instructions`],
    ['an endpoint', `${kb}/endpoint/args`, ['evil.js'], `endpoint-mismatch ${kb}/endpoint/fingerprint`],
    ['the name of an entry', `${kb}/tools/c`, b(), `name-mismatch ${kb}/tools/c`],
    ['a mode', `${kb}/modes/pin`, 'off', `invalid-member ${kb}/modes/pin`],
    ['a member taken out', `${kb}/era`, undefined, `invalid-member ${kb}/era`],
    ['a reserved member', `${kb}/id`, 'x', `invalid-member ${kb}/id`],
    ['the version', '/lockVersion', 2, 'unknown-version /lockVersion'],
    ['servers that are a list', '/servers', [], 'invalid-member /servers'],
    ['substitutions', `${kb}/substitutions/cwd`, 'x', `invalid-member ${kb}/substitutions/cwd`],
  ])('names what was edited by hand: %s', (_, pointer, changed, expected) => {
    const source = edited([pointer, changed])
    expect(problems(source)).toEqual([expected])
    expect(isLock(JSON.parse(source))).toBe(expected.includes('mismatch'))
  })

  it('names every entry that no longer adds up, not only the first', () => {
    const source = edited([`${kb}/tools/a/definition/x`, 1], [`${kb}/prompts/p/definition/x`, 1])
    expect(problems(source)).toEqual([
      'digest-mismatch /servers/kb/default/tools/a',
      'digest-mismatch /servers/kb/default/prompts/p',
    ])
    expect(() => parseLock(source)).toThrow(LockError)
    expect(() => parseLock(source)).toThrow(/"a" no longer adds up.*edited by hand.*and 1 more/)
  })

  it('refuses a text in which a member stands twice, as a careless merge leaves it', () => {
    const twice = good.replace('"prompts": {', '"tools": {},\n        "prompts": {')
    expect(problems(twice)).toEqual(['repeated-member /servers/kb/default/tools'])
  })

  it('tells an unresolved merge from a text that is not JSON', () => {
    expect(problems(`<<<<<<< ours\n${good}`)).toEqual(['merge-conflict '])
    expect(problems('{')).toEqual(['not-json '])
    expect(problems('[]')).toEqual(['invalid-member '])
  })
})

/** The same value with its members in another order. */
function shuffled(value: Json): Json {
  if (Array.isArray(value)) return value.map(shuffled)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).reverse()
  return Object.fromEntries(entries.map(([name, child]) => [name, shuffled(child as Json)]))
}
