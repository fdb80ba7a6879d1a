import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ListenFilter, Notice } from '@truename/mcp-link'
import { describe, expect, it, vi } from 'vitest'
import { client, eras, errorOf, folderOf, readText, serveFolder } from './serving.ts'

const listening = async (folder: string, era: (typeof eras)[number], filter: ListenFilter) => {
  const upstream = await client(await serveFolder(folder, { watch: true, settleMs: 20 }), era)
  const notices: Notice[] = []
  upstream.onNotification((notice) => notices.push(notice))
  const { honoured } = await upstream.listen(filter)
  const heard = (method: string) =>
    notices.filter((notice) => notice.method === `notifications/resources/${method}`)
  return { upstream, heard, honoured }
}
const catalogue = (...names: string[]): string =>
  JSON.stringify({ documents: Object.fromEntries(names.map((name, at) => [name, `f${at}.txt`])) })

describe.each(eras)('changes of the folder (%s)', (era) => {
  it('are told for the very URI that was subscribed to, and the new text is there', async () => {
    const folder = folderOf(['a b', 'c'])
    const filter = { resourceSubscriptions: ['docs://catalog/a%20b'] }
    const { upstream, heard, honoured } = await listening(folder, era, filter)
    expect(honoured.resourceSubscriptions).toEqual(filter.resourceSubscriptions)
    writeFileSync(join(folder, 'f0.txt'), 'changed')
    await vi.waitFor(() => expect(heard('updated')).toHaveLength(1), 5000)
    expect(heard('updated')[0]?.params?.uri).toBe('docs://catalog/a%20b')
    expect(await readText(upstream, 'docs://catalog/a%20b')).toBe('changed')
    writeFileSync(join(folder, 'f1.txt'), 'also changed')
    writeFileSync(join(folder, 'f0.txt'), 'changed again')
    await vi.waitFor(() => expect(heard('updated')).toHaveLength(2), 5000)
    expect(heard('updated').every(({ params }) => params?.uri === 'docs://catalog/a%20b')).toBe(true)
    expect(heard('list_changed')).toEqual([])
  })

  it('of the catalogue are told as a changed list', async () => {
    const folder = folderOf(['one', 'two'])
    const { upstream, heard } = await listening(folder, era, { resourcesListChanged: true })
    writeFileSync(join(folder, 'catalog.json'), catalogue('one', 'zwei'))
    await vi.waitFor(() => expect(heard('list_changed')).toHaveLength(1), 5000)
    expect(await readText(upstream, 'docs://catalog/zwei')).toBe('two')
  })

  it('that leave half a catalogue for a moment withdraw nothing', async () => {
    const folder = folderOf(['one', 'two'])
    const { upstream, heard } = await listening(folder, era, { resourcesListChanged: true })
    writeFileSync(join(folder, 'catalog.json'), '{"documents": {"one":')
    await new Promise((resolve) => setTimeout(resolve, 150))
    expect(await readText(upstream, 'docs://catalog/two')).toBe('two')
    expect(heard('list_changed')).toEqual([])
    writeFileSync(join(folder, 'catalog.json'), catalogue('one'))
    await vi.waitFor(() => expect(heard('list_changed')).toHaveLength(1), 5000)
    expect(errorOf(await upstream.request('resources/read', { uri: 'docs://catalog/two' })).data.reason).toBe(
      'not-found',
    )
  })

  it('that take a document away are told to who watches it', async () => {
    const folder = folderOf(['one', 'two'])
    const { heard } = await listening(folder, era, { resourceSubscriptions: ['docs://tree/f1.txt'] })
    rmSync(join(folder, 'f1.txt'))
    await vi.waitFor(() => expect(heard('updated')).toHaveLength(1), 5000)
  })

  it('cannot be watched for what names no document', async () => {
    const { honoured } = await listening(folderOf(['one']), era, {
      resourceSubscriptions: ['docs://catalog/one', 'docs://catalog/none'],
    })
    expect(honoured.resourceSubscriptions).toEqual(['docs://catalog/one'])
  })
})
