import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { errorAnswer } from './failure.ts'
import type { Json, JsonObject } from './json.ts'
import { connectInMemory } from './memory-link.ts'
import type { Outcome } from './outcome.ts'
import type { Upstream } from './port.ts'
import { listFamily, listSurface } from './surface.ts'

type Page = (cursor: Json | undefined) => JsonObject | Outcome

/** A server whose lists are made page by page. */
async function listing(
  capabilities: JsonObject,
  pages: Record<string, Page>,
): Promise<{ upstream: Upstream; asked: string[] }> {
  const asked: string[] = []
  const connected = await connectInMemory(
    'x',
    {
      declare: () => ({ info: { name: 'x', version: '1' }, capabilities }),
      accept: (client) =>
        client.serve(async (method, params) => {
          asked.push(method)
          const page = pages[method]?.(params.cursor)
          if (page === undefined) return errorAnswer(-32601, 'Method not found')
          return 'kind' in page ? (page as Outcome) : { kind: 'result', value: page }
        }),
    },
    { client: { name: 't', version: '1' }, era: 'legacy' },
  )
  if (!connected.ok) throw new Error(connected.failure.message)
  onTestFinished(() => connected.upstream.close())
  return { upstream: connected.upstream, asked }
}
const tools = { tools: {} }

describe('listing everything', () => {
  it('asks all four kinds independently, and only those that are declared', async () => {
    const { upstream, asked } = await listing(
      { tools: {}, resources: {} },
      {
        'tools/list': () => ({ tools: [{ name: 'a', odd: { '': 1 } }], _meta: { 'a.b/c': 1 } }),
        'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'x://{a}', name: 'a' }] }),
      },
    )
    const surface = await listSurface(upstream)
    expect(surface.tools).toEqual({
      items: [{ name: 'a', odd: { '': 1 } }],
      state: 'complete',
      pages: 1,
      metas: [{ 'a.b/c': 1 }],
      warnings: [],
    })
    expect(surface.prompts).toEqual({ items: [], state: 'unsupported', pages: 0, metas: [], warnings: [] })
    expect(surface.resources).toMatchObject({ state: 'failed', items: [], error: { code: -32601 } })
    expect(surface.resourceTemplates).toMatchObject({ state: 'complete', pages: 1 })
    expect(asked.toSorted()).toEqual(['resources/list', 'resources/templates/list', 'tools/list'])
  })
  it('drops all pages and starts again, once, when a cursor is refused', async () => {
    let refusals = 0
    const { upstream } = await listing(tools, {
      'tools/list': (cursor) => {
        if (cursor === undefined) return { tools: [{ name: `first${refusals}` }], nextCursor: 'b' }
        refusals += 1
        return refusals === 1 ? errorAnswer(-32602, 'Invalid cursor') : { tools: [{ name: 'second' }] }
      },
    })
    const family = await listFamily(upstream, 'tools')
    expect(family.items.map(({ name }) => name)).toEqual(['first1', 'second'])
    expect(family).toMatchObject({
      state: 'complete',
      pages: 2,
      warnings: [expect.stringContaining('starting again')],
    })
  })
  it('keeps what was listed before a page failed for good', async () => {
    const { upstream } = await listing(tools, {
      'tools/list': (cursor) =>
        cursor === undefined ? { tools: [{ name: 'a' }], nextCursor: 'b' } : errorAnswer(-32000, 'down'),
    })
    expect(await listFamily(upstream, 'tools')).toMatchObject({
      state: 'failed',
      items: [{ name: 'a' }],
      error: { message: 'down' },
    })
  })
  it('ends at repeated cursors, cursors that are none, and its limits, and says so', async () => {
    let page = 0
    const { upstream } = await listing(tools, {
      'tools/list': (cursor) => {
        page += 1
        if (cursor === 'loop' || cursor === 'back')
          return { tools: [5, { name: 'b' }], nextCursor: cursor === 'loop' ? 'back' : 'loop' }
        return { tools: [{ name: `a${page}` }], nextCursor: page < 3 ? 'loop' : `more${page}` }
      },
    })
    const looped = await listFamily(upstream, 'tools')
    expect(looped).toMatchObject({ state: 'complete', pages: 3 })
    expect(looped.warnings.join()).toMatch(/no object.*repeated a cursor/)
    expect(await listFamily(upstream, 'tools', { maxPages: 4 })).toMatchObject({
      state: 'failed',
      pages: 4,
      error: { message: expect.stringContaining('more than 4 pages') },
    })
    expect(await listFamily(upstream, 'tools', { maxItems: 2 })).toMatchObject({
      state: 'failed',
      error: { message: expect.stringContaining('more than 2 entries') },
    })
  })
  it.each<[string, JsonObject]>([
    ['no list', {}],
    ['a list that is text', { tools: 'a' }],
  ])('fails with %s instead of taking it for an empty one', async (_name, page) => {
    const { upstream } = await listing(tools, { 'tools/list': () => page })
    expect(await listFamily(upstream, 'tools')).toMatchObject({
      state: 'failed',
      error: { message: expect.stringContaining('no list "tools"') },
    })
  })

  it('comes to an end with whatever a server sends as its lists', async () => {
    let answer: JsonObject = {}
    const { upstream } = await listing(
      { tools: {}, prompts: {}, resources: {} },
      {
        'tools/list': () => answer,
        'prompts/list': () => answer,
        'resources/list': () => answer,
        'resources/templates/list': () => answer,
      },
    )
    const value = fc.jsonValue({ maxDepth: 3 })
    const page = fc.record(
      {
        tools: value,
        prompts: value,
        resources: value,
        resourceTemplates: value,
        nextCursor: value,
        _meta: value,
      },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(page, async (given) => {
        answer = given as JsonObject
        for (const family of Object.values(await listSurface(upstream, { maxPages: 5 }))) {
          expect(['complete', 'failed']).toContain(family.state)
          expect(family.pages).toBeLessThanOrEqual(5)
          for (const item of family.items) expect(item).toBeTypeOf('object')
        }
      }),
      { numRuns: 60 },
    )
  })
})
