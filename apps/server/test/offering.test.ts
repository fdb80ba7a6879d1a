import type { JsonObject, Upstream } from '@truename/mcp-link'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { describe, expect, it } from 'vitest'
import { client, eras, errorOf, folderOf, readText, resultOf, serveFolder, writeFiles } from './serving.ts'

const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `Документ ${at}`)

const listAll = async (upstream: Upstream): Promise<JsonObject[]> => {
  const all: JsonObject[] = []
  let cursor: unknown
  do {
    const page = resultOf(
      await upstream.request('resources/list', cursor === undefined ? {} : ({ cursor } as JsonObject)),
    )
    all.push(...(page.resources as unknown as JsonObject[]))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return all
}
const complete = async (upstream: Upstream, uri: string, name: string, value: string): Promise<JsonObject> =>
  resultOf(
    await upstream.request('completion/complete', {
      ref: { type: 'ref/resource', uri },
      argument: { name, value },
    }),
  ).completion as JsonObject

describe.each(eras)('what the knowledge base offers (%s)', (era) => {
  it('declares resources with both notifications, completion and tools', async () => {
    const upstream = await client(await serveFolder(folderOf(['a'])), era)
    expect(upstream.capabilities).toEqual({
      resources: { subscribe: true, listChanged: true },
      completions: {},
      tools: {},
    })
    expect(upstream.instructions).toContain('docs://catalog/{name}')
  })

  it('lists the catalogue page by page, each document once and readable as listed', async () => {
    const upstream = await client(await serveFolder(folderOf(names(25)), { pageSize: 10 }), era)
    const listed = await listAll(upstream)
    expect(listed.map(({ name }) => name).sort()).toEqual(names(25).sort())
    const { name, uri } = listed[17] as { name: string; uri: string }
    expect(await readText(upstream, uri)).toBe(name)
  })

  it('lists the files of a folder without a catalogue', async () => {
    const folder = temporaryFolder()
    writeFiles(folder, { 'b/c d.md': 'x', 'a.txt': 'y' })
    const upstream = await client(await serveFolder(folder), era)
    expect(await listAll(upstream)).toEqual([
      { uri: 'docs://tree/a.txt', name: 'a.txt', mimeType: 'text/plain' },
      { uri: 'docs://tree/b/c%20d.md', name: 'b/c d.md', mimeType: 'text/markdown' },
    ])
  })

  it('refuses a cursor that is none of its own', async () => {
    const upstream = await client(await serveFolder(folderOf(['a'])), era)
    const methods = ['resources/list', 'resources/templates/list', 'tools/list']
    for (const method of methods) {
      const { code, message } = errorOf(await upstream.request(method, { cursor: 'mine' }))
      expect([code, message]).toEqual([-32602, expect.stringContaining('not one that this server gave')])
    }
  })

  it('lists both templates and says which form each identifier has', async () => {
    const upstream = await client(await serveFolder(folderOf(['a'])), era)
    const { resourceTemplates } = resultOf(
      await upstream.request('resources/templates/list', {}),
    ) as never as {
      resourceTemplates: { uriTemplate: string; description: string }[]
    }
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'docs://catalog/{name}',
      'docs://tree{/path*}',
    ])
    expect(resourceTemplates[0]?.description).toMatch(/is a name: one segment, simple expansion/)
    expect(resourceTemplates[1]?.description).toMatch(/is a path: a list of segments/)
  })

  it('completes names and paths with exact values, whatever the case that was typed', async () => {
    const upstream = await client(
      await serveFolder(folderOf(['Отчёт май', 'Отчёт май/июнь', 'a+b'], { 'guide/Open Risks.md': 'x' })),
      era,
    )
    expect(await complete(upstream, 'docs://catalog/{name}', 'name', 'ОТЧ')).toEqual({
      values: ['Отчёт май', 'Отчёт май/июнь'],
      total: 2,
      hasMore: false,
    })
    expect((await complete(upstream, 'docs://tree{/path*}', 'path', 'open')).values).toEqual([
      'guide/Open Risks.md',
    ])
    expect((await complete(upstream, 'docs://catalog/{name}', 'name', '')).total).toBe(3)
  })

  it('completes at most a hundred values and says that there are more', async () => {
    const upstream = await client(await serveFolder(folderOf(names(101))), era)
    const { values, total, hasMore } = await complete(upstream, 'docs://catalog/{name}', 'name', 'документ')
    expect([(values as string[]).length, total, hasMore]).toEqual([100, 101, true])
  })

  it.each<[string, JsonObject, RegExp]>([
    [
      'another template',
      { ref: { type: 'ref/resource', uri: 'x:{y}' }, argument: { name: 'y', value: '' } },
      /no template "x:\{y\}"/,
    ],
    [
      'another variable',
      { ref: { type: 'ref/resource', uri: 'docs://catalog/{name}' }, argument: { name: 'y', value: '' } },
      /variable "y"/,
    ],
    [
      'a prompt',
      { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'y', value: '' } },
      /must be a ref\/resource/,
    ],
    [
      'no value',
      { ref: { type: 'ref/resource', uri: 'docs://catalog/{name}' }, argument: { name: 'name' } },
      /"name" and "value"/,
    ],
  ])('refuses to complete %s', async (_what, params, message) => {
    const upstream = await client(await serveFolder(folderOf(['a'])), era)
    expect(errorOf(await upstream.request('completion/complete', params))).toMatchObject({
      code: -32602,
      message: expect.stringMatching(message),
    })
  })

  it('does not know methods it has no part in', async () => {
    const upstream = await client(await serveFolder(folderOf(['a'])), era)
    expect(upstream.negotiation.can('prompts/list').allowed).toBe(false)
    expect(
      errorOf(await upstream.request('tools/call', { name: 'Find_Documents', arguments: {} })).code,
    ).toBe(-32602)
  })
})

describe.each(eras)('the tool find_documents (%s)', (era) => {
  const folder = () => {
    const made = folderOf(['Отчёт май', 'Смета', '100%'], { 'guide/risks.md': 'Open RISKS\nand more' })
    writeFiles(made, { 'f1.txt': 'Первая строка\nОтчёт приложен за май' })
    return made
  }
  const search = async (query: string, more: JsonObject = {}) => {
    const upstream = await client(await serveFolder(folder()), era)
    const outcome = await upstream.request('tools/call', {
      name: 'find_documents',
      arguments: { query, ...more },
    })
    return {
      upstream,
      value: resultOf(outcome) as never as {
        content: JsonObject[]
        structuredContent: JsonObject
        isError?: boolean
      },
    }
  }

  it('finds by name and text, names first, and links what it finds by readable URIs', async () => {
    const { upstream, value } = await search('ОТЧЕТ май')
    const [text, ...links] = value.content
    expect(text?.text).toMatch(/^2 documents hold every word of "ОТЧЕТ май":\nОтчёт май\n/)
    expect(links.map(({ type, name }) => [type, name])).toEqual([
      ['resource_link', 'Отчёт май'],
      ['resource_link', 'Смета'],
    ])
    expect(await readText(upstream, String(links[0]?.uri))).toBe('Отчёт май')
    expect(value.structuredContent).toMatchObject({
      total: 2,
      documents: [{}, { line: 'Отчёт приложен за май' }],
    })
  })

  it('finds files without a name in the catalogue by their path, and each document once', async () => {
    const { value } = await search('risks')
    expect(value.structuredContent.documents).toEqual([
      { name: 'guide/risks.md', uri: 'docs://tree/guide/risks.md', line: 'Open RISKS' },
    ])
    const limited = await search('f', { limit: 1 })
    expect(limited.value.structuredContent).toMatchObject({ total: 3, documents: [{}] })
  })

  it('says so when nothing is found, and what is wrong with the arguments, to the model', async () => {
    expect((await search('nothing here')).value.content[0]?.text).toBe(
      'No document holds every word of "nothing here".',
    )
    for (const args of [{ query: ' ' }, { query: 'a', limit: 0 }, { query: 'a', limit: 1.5 }] as const) {
      const { value } = await search(args.query, args)
      expect(value.isError).toBe(true)
    }
  })
})
