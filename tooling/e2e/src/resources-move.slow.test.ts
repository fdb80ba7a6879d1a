import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { expect, it, vi } from 'vitest'
import { connectFor } from './link/links.ts'
import { stdioConfig } from './link/programs.ts'
import { knowledgeBase, programs, shop, truename, writeConfig } from './programs.ts'

it.each(['legacy', 'modern'] as const)(
  'a client of the %s era is told of resources that a server has now, once, and lists them',
  async (era) => {
    const folder = temporaryFolder()
    writeConfig(folder, { kb: knowledgeBase(folder), 'shop-a': shop('shop-a') })
    const locked = await truename(folder, 'lock', '--yes')
    expect(locked, locked.stderr).toMatchObject({ code: 0 })
    const server = stdioConfig('proxy', [programs.truename, 'serve'], { cwd: folder })
    const { upstream } = await connectFor('v2', server, era === 'legacy' ? { era } : {})
    expect(upstream.negotiation.era).toBe(era)
    const told: string[] = []
    upstream.onNotification(({ method }) => told.push(method))
    await upstream.listen({ resourcesListChanged: true, toolsListChanged: true })
    const names = async (): Promise<string> => JSON.stringify(await upstream.request('resources/list', {}))
    expect(await names()).not.toContain('novel')
    expect(told).toEqual([])

    const catalogue = join(folder, 'knowledge-base', 'catalog.json')
    const written = readFileSync(catalogue, 'utf8').replace(
      '"documents": {',
      '"documents": { "novel": "sum.txt",',
    )
    writeFileSync(catalogue, written)
    await vi.waitFor(() => expect(told).toEqual(['notifications/resources/list_changed']), {
      timeout: 30_000,
    })
    expect(await names()).toContain('novel')
    // Listing is no change, nor is being asked again.
    await new Promise((resolve) => setTimeout(resolve, 1000))
    expect(told).toHaveLength(1)
  },
)
