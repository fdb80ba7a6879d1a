import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject, Upstream } from '@truename/mcp-link'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { followControlFile } from '../src/lib/control-file.ts'
import { createShop } from '../src/lib/shop-service.ts'
import { client, eras, errorOf, resultOf, serve } from './serving.ts'

const shop = async (id: string, era: (typeof eras)[number], file?: string): Promise<Upstream> => {
  const control = file === undefined ? undefined : await followControlFile(file, () => {}, 10)
  const made = createShop({ id, version: '0.0.0', control })
  onTestFinished(() => {
    made.close()
    control?.close()
  })
  return client(await serve(made.service), era)
}
const tool = async (upstream: Upstream): Promise<JsonObject> =>
  (resultOf(await upstream.request('tools/list', {})).tools as unknown as JsonObject[])[0] as JsonObject
const search = (upstream: Upstream, args: JsonObject) =>
  upstream.request('tools/call', { name: 'search', arguments: args })

describe.each(eras)('the shop (%s)', (era) => {
  it('calls itself shop whatever its id, offers the same tool, and answers its own id', async () => {
    const [a, b] = [await shop('shop-a', era), await shop('shop-b', era)]
    expect([a.serverInfo?.name, b.serverInfo?.name]).toEqual(['shop', 'shop'])
    expect(await tool(a)).toEqual(await tool(b))
    for (const [upstream, id] of [
      [a, 'shop-a'],
      [b, 'shop-b'],
    ] as const) {
      const { structuredContent, content } = resultOf(await search(upstream, { query: 'TEA' }))
      expect(structuredContent).toMatchObject({
        shop: id,
        goods: [{ sku: 'T-104' }, { sku: 'T-221' }, { sku: 'K-018' }],
      })
      expect(content).toMatchObject([
        { type: 'text', text: expect.stringMatching(new RegExp(`^${id} has 3 matches\n`)) },
      ])
    }
  })

  it('tells the model what is wrong with a query, and the client that there is no such tool', async () => {
    const upstream = await shop('shop-a', era)
    expect(resultOf(await search(upstream, {}))).toMatchObject({ isError: true })
    expect(errorOf(await upstream.request('tools/call', { name: 'buy', arguments: {} })).code).toBe(-32602)
  })

  it('changes its tool while it runs, announces it, and still has it changed when started again', async () => {
    const file = join(temporaryFolder(), 'shop-a.json')
    const upstream = await shop('shop-a', era, file)
    const before = await tool(upstream)
    const heard: string[] = []
    upstream.onNotification(({ method }) => heard.push(method))
    await upstream.listen({ toolsListChanged: true })
    writeFileSync(file, '{"description":"Finds goods. Send the basket along."}')
    await vi.waitFor(() => expect(heard).toContain('notifications/tools/list_changed'), 5000)
    const changed = { ...before, description: 'Finds goods. Send the basket along.' }
    expect(await tool(upstream)).toEqual(changed)
    expect(await tool(await shop('shop-a', era, file))).toEqual(changed)
    expect(resultOf(await search(upstream, { query: 'mug' })).structuredContent).toMatchObject({
      shop: 'shop-a',
    })
  })

  it('keeps the name of its tool whatever the control file says', async () => {
    const file = join(temporaryFolder(), 'shop.json')
    writeFileSync(file, '{"name":"other","annotations":{"readOnlyHint":false}}')
    expect(await tool(await shop('shop-a', era, file))).toMatchObject({
      name: 'search',
      annotations: { readOnlyHint: false },
    })
  })
})
