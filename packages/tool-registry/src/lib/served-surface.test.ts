import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fingerprintEndpoint } from './endpoint.ts'
import { formatLock } from './format-lock.ts'
import type { Json, JsonObject } from './json.ts'
import { compareKeys, type Key, keyId, sameKey } from './key.ts'
import { emptyLock, withServer } from './lock.ts'
import { lockServer } from './lock-server.ts'
import { createNameMap } from './name-map.ts'
import { parseLock } from './parse-lock.ts'
import { servedSurface } from './served-surface.ts'
import type { Surface } from './surface.ts'
import { verifySurface } from './verify-surface.ts'

const endpoint = fingerprintEndpoint({ command: 'node' })
const lockOf = (id: string, surface: Surface) => lockServer({ id, endpoint, surface }).server
const tool = (name: string): JsonObject => ({
  name,
  inputSchema: { type: 'object', properties: { b: { type: 'string' }, '10': {}, '9': {} }, required: ['b'] },
})
const many = (prefix: string, count: number): JsonObject[] =>
  Array.from({ length: count }, (_, index) => tool(`${prefix}${index}`))

/** The same value with the members of its objects in another order. */
function respelled(value: Json): Json {
  if (Array.isArray(value)) return value.map(respelled)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, child]) => [name, respelled(child as Json)]),
  )
}

describe('servedSurface', () => {
  it('gives the same bytes whatever the order and spelling a server sends, and whoever connects first', () => {
    const surfaces = { a: many('x', 5), b: many('y', 4), 'B-2': many('z', 3) }
    const serve = (ids: readonly string[], shuffle: (tools: JsonObject[]) => Json[]): string => {
      const lock = ids.reduce(
        (all, id) => withServer(all, lockOf(id, { tools: shuffle(surfaces[id as 'a']) })),
        emptyLock,
      )
      return (
        formatLock(lock) +
        JSON.stringify(parseLock(formatLock(lock)).servers.map((server) => servedSurface(server)))
      )
    }
    const expected = serve(['a', 'b', 'B-2'], (tools) => tools)
    fc.assert(
      fc.property(
        fc.shuffledSubarray(['a', 'b', 'B-2'], { minLength: 3 }),
        fc.infiniteStream(fc.nat()),
        (ids, numbers) => {
          const shuffle = (tools: JsonObject[]): Json[] =>
            tools
              .map((one) => ({ one: respelled(one), at: numbers.next().value as number }))
              .sort((x, y) => x.at - y.at)
              .map(({ one }) => one)
          expect(serve(ids, shuffle)).toBe(expected)
        },
      ),
      { numRuns: 30 },
    )
  })

  it('carries every member of a definition through unchanged, those it does not know among them', () => {
    const full = {
      ...tool('full'),
      title: 'Full',
      description: 'é \u0000',
      outputSchema: { type: 'object' },
      annotations: { destructiveHint: true, 'x-hint': 1 },
      icons: [{ src: 'https://x.example/i.png', sizes: ['48x48'] }],
      execution: { taskSupport: 'optional' },
      _meta: { 'x.example/a': null },
      'x-future': { a: 1 },
    }
    const prompt = { name: 'p', arguments: [{ name: 'a', required: true, 'x-more': [] }] }
    const template = { uriTemplate: 'x://{y}', name: 'y', annotations: { priority: 0.5 } }
    const locked = lockOf('s', {
      tools: [full],
      prompts: [prompt],
      resourceTemplates: [template],
      instructions: 'é',
    })
    const [read] = parseLock(formatLock(withServer(emptyLock, locked))).servers
    expect(servedSurface(read ?? locked)).toEqual({
      tools: [full],
      prompts: [prompt],
      resourceTemplates: [template],
      instructions: 'é',
    })
  })

  it('lists every tool of every server once, whoever answers first, and a server without tools as none', () => {
    const counts = { a: 16, b: 41, c: 18, d: 33, e: 0 }
    const keysIn = (ids: readonly string[]): Key[] =>
      ids
        .reduce(
          (lock, id) => withServer(lock, lockOf(id, { tools: many('t', counts[id as 'a']) })),
          emptyLock,
        )
        .servers.flatMap((server) =>
          servedSurface(server).tools.map(
            ({ name }): Key => ({ server: server.id, kind: 'tool', name: String(name) }),
          ),
        )
    const first = createNameMap(keysIn(['a', 'b', 'c', 'd', 'e']))
    const second = createNameMap(keysIn(['e', 'd', 'c', 'b', 'a']))
    expect(first.size).toBe(108)
    expect([...second.entries()]).toEqual([...first.entries()])
  })

  it('holds all of a long listing, its last tool too', () => {
    const pages = [many('a', 50), many('b', 50), many('c', 1)]
    const locked = lockOf('s', { tools: pages.flat() })
    expect(locked.tools.size).toBe(101)
    const key: Key = { server: 's', kind: 'tool', name: 'c0' }
    expect(verifySurface(locked, { tools: pages.flat() }).approval(key).approved).toBe(true)
    expect(verifySurface(locked, { tools: pages[0] }).approval(key)).toMatchObject({
      approved: false,
      why: 'removed',
    })
  })
})

describe('lockServer', () => {
  it('leaves out what could not be told apart at a call, and names it', () => {
    const { server, notLocked } = lockServer({
      id: 's',
      endpoint,
      surface: {
        tools: [
          tool('a'),
          { ...tool('a'), title: 'x' },
          tool('b'),
          tool('b'),
          { title: 'nameless' },
          { ...tool('c'), n: Number.NaN },
          null,
        ],
      },
    })
    expect([...server.tools.keys()]).toEqual(['b'])
    expect(notLocked.map(({ why, index, key }) => [why, index, key?.name])).toEqual([
      ['two-definitions', 1, 'a'],
      ['no-name', 4, undefined],
      ['no-canonical-form', 5, 'c'],
      ['no-name', 6, undefined],
    ])
  })

  it('records which URIs are the server’s: templates, and what its resources start with', () => {
    const resources = [
      'file:///a/b.txt',
      'file:///c.txt',
      'docs://catalog/x',
      'docs://catalog/y',
      'hello://world',
      'urn:x:y',
      'not a uri',
    ].map((uri) => ({ uri, name: uri }))
    const { server } = lockServer({
      id: 's',
      endpoint,
      surface: { resources, resourceTemplates: [{ uriTemplate: 'docs://{name}', name: 'doc' }] },
    })
    expect(server.uriSpace).toEqual({
      templates: ['docs://{name}'],
      prefixes: ['docs://catalog/', 'file:///', 'urn:'],
      exact: ['hello://world', 'not a uri'],
    })
  })
})

describe('keys', () => {
  it('are told apart by every part, whatever stands in it', () => {
    const part = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 3 }),
      fc.constantFrom('a', 'a:b', 'b:c', '"', '\\', ','),
    )
    const key: fc.Arbitrary<Key> = fc.record({
      server: part,
      kind: fc.constantFrom('tool', 'prompt', 'resource'),
      name: part,
    })
    fc.assert(
      fc.property(key, key, (a, b) => {
        expect(keyId(a) === keyId(b)).toBe(sameKey(a, b))
        expect(compareKeys(a, b) === 0).toBe(sameKey(a, b))
        expect(Math.sign(compareKeys(a, b))).toBe(-Math.sign(compareKeys(b, a)) + 0)
      }),
      { numRuns: 300 },
    )
    expect(
      sameKey({ server: 's', kind: 'tool', name: 'Search' }, { server: 's', kind: 'tool', name: 'search' }),
    ).toBe(false)
  })
})
