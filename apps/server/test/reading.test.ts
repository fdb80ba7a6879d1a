import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openLineLog, revisionMeta, traceMeta } from '@truename/mcp-link'
import type { ReadTrace } from '@truename/template-matcher'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { describe, expect, it, vi } from 'vitest'
import { client, eras, errorOf, folderOf, readText, resultOf, serveFolder, writeFiles } from './serving.ts'

const bundled = join(import.meta.dirname, '../../../examples/knowledge-base')
const may = 'docs://catalog/%D0%9E%D1%82%D1%87%D1%91%D1%82%20%D0%BC%D0%B0%D0%B9'
const mayJune =
  'docs://catalog/%D0%9E%D1%82%D1%87%D1%91%D1%82%20%D0%BC%D0%B0%D0%B9%2F%D0%B8%D1%8E%D0%BD%D1%8C'
const notFound = { legacy: -32002, modern: -32602 } as const

describe.each(eras)('reading (%s)', (era) => {
  it('serves the seven bundled documents, each its own text', async () => {
    const upstream = await client(await serveFolder(bundled), era)
    const { documents } = JSON.parse(readFileSync(join(bundled, 'catalog.json'), 'utf8'))
    const { resources } = resultOf(await upstream.request('resources/list', {})) as never as {
      resources: { name: string; uri: string }[]
    }
    expect(resources.map(({ name }) => name).sort()).toEqual(
      ['Отчёт май', 'Отчёт май/июнь', '季度报告/2025 Q1 财务.pdf', 'a+b', '100%', '%2F', '/'].sort(),
    )
    const texts = new Set<string>()
    for (const { name, uri } of resources) {
      const text = await readText(upstream, uri)
      expect(text).toBe(readFileSync(join(bundled, documents[name]), 'utf8'))
      texts.add(text)
    }
    expect(texts.size).toBe(7)
    expect(resources.find(({ name }) => name === 'Отчёт май/июнь')?.uri).toBe(mayJune)
  })

  it('keeps the name %2F and the name / apart', async () => {
    const upstream = await client(await serveFolder(folderOf(['%2F', '/'])), era)
    expect(await readText(upstream, 'docs://catalog/%252F')).toBe('%2F')
    expect(await readText(upstream, 'docs://catalog/%2F')).toBe('/')
  })

  it('says that nothing is there, and that a plus sign stands where %20 was meant', async () => {
    const upstream = await client(await serveFolder(bundled), era)
    const uri = may.replace('%20', '+')
    const { code, message, data } = errorOf(await upstream.request('resources/read', { uri }))
    expect(code).toBe(notFound[era])
    expect(message).toMatch(/^Resource not found: .*"\+".*%20/)
    expect(data).toMatchObject({ uri, reason: 'not-found', didYouMean: [{ name: 'Отчёт май', uri: may }] })
    expect((data.explanation as string[]).length).toBeLessThanOrEqual(3)
    expect(data._meta).toMatchObject({
      [traceMeta]: {
        uri,
        side: 'server',
        steps: [{ step: 'match' }, { step: 'decode' }, { step: 'locate', ok: false }],
      },
    })
  })

  it.each([
    'docs://catalog/a/b',
    'docs://catalog/a?b',
    'docs://catalog/a#b',
    'docs://catalog/a b',
    'docs://catalog/é',
    'docs://catalog/%C3%28',
    'docs://catalog/100%',
    'docs://shelf/a',
    'file:///etc/passwd',
    'Отчёт май',
    '',
  ])('tells %j, which no template matches, from what is not there', async (uri) => {
    const upstream = await client(await serveFolder(folderOf(['a'])), era)
    const { code, message, data } = errorOf(await upstream.request('resources/read', { uri }))
    expect(code).toBe(-32602)
    expect(message).toMatch(/^No resource template matches this URI/)
    expect(data).toMatchObject({
      uri,
      reason: 'no-template',
      _meta: { [traceMeta]: { steps: [{ step: 'match', ok: false }] } },
    })
  })

  it('takes what RFC 3986 lets stand in a segment as it is for itself, and says that expansion spells it otherwise', async () => {
    const upstream = await client(await serveFolder(folderOf(['a+b', "it's (1) @home; x=1,2!"])), era)
    expect(await readText(upstream, 'docs://catalog/a+b')).toBe('a+b')
    expect(await readText(upstream, "docs://catalog/it's%20(1)%20@home;%20x=1,2!")).toBe(
      "it's (1) @home; x=1,2!",
    )
    const { _meta } = resultOf(await upstream.request('resources/read', { uri: 'docs://catalog/a+b' }))
    expect((_meta as never)[traceMeta]).toMatchObject({
      steps: [{ step: 'match', deviations: [{ code: 'not-encoded' }] }, {}, { step: 'locate', ok: true }],
    })
  })

  it('says what was meant by a URI with a slash that was not encoded', async () => {
    const upstream = await client(await serveFolder(bundled), era)
    const uri = mayJune.replace('%2F', '/')
    const { data } = errorOf(await upstream.request('resources/read', { uri }))
    expect(data).toMatchObject({ reason: 'no-template', didYouMean: [{ uri: mayJune }] })
    expect((data.explanation as string[]).join('\n')).toContain('%2F')
  })

  it.each([
    'docs://tree/../secret.txt',
    'docs://tree/a/../../secret.txt',
    'docs://tree/%2e%2e/secret.txt',
    'docs://tree/..%2Fsecret.txt',
    'docs://tree/..%5Csecret.txt',
    'docs://tree/%2Fetc%2Fpasswd',
    'docs://tree/C%3A/Windows/win.ini',
    'docs://tree/a%00.txt',
  ])('never leaves the folder for %s', async (uri) => {
    const parent = temporaryFolder()
    writeFiles(parent, { 'docs/a/x.txt': 'inside', 'secret.txt': 'outside' })
    const upstream = await client(await serveFolder(join(parent, 'docs')), era)
    const { code, data } = errorOf(await upstream.request('resources/read', { uri }))
    expect(code).toBe(-32602)
    expect(data).toMatchObject({ uri, reason: 'unsafe-path' })
  })

  it('takes dots that are no way out for part of a name, and repeated slashes for one', async () => {
    const folder = temporaryFolder()
    writeFiles(folder, { 'v1..v2': 'dots', 'a/b.txt': 'deep', 'ü ö.md': 'umlauts' })
    const upstream = await client(await serveFolder(folder), era)
    expect(await readText(upstream, 'docs://tree/v1..v2')).toBe('dots')
    for (const uri of ['docs://tree/a/b.txt', 'docs://tree/a//b.txt', 'docs://tree/./a/b.txt']) {
      expect(await readText(upstream, uri)).toBe('deep')
    }
    expect(await readText(upstream, 'docs://tree/%C3%BC%20%C3%B6.md')).toBe('umlauts')
    const { data } = errorOf(await upstream.request('resources/read', { uri: 'docs://tree/.env' }))
    expect(data.reason).toBe('not-found')
  })

  it('compares paths letter for letter on every file system, and suggests the right spelling', async () => {
    const folder = temporaryFolder()
    writeFiles(folder, { 'Guide/Read Me.md': 'x' })
    const upstream = await client(await serveFolder(folder), era)
    const { data } = errorOf(
      await upstream.request('resources/read', { uri: 'docs://tree/guide/read%20me.md' }),
    )
    expect(data).toMatchObject({
      reason: 'not-found',
      didYouMean: [{ uri: 'docs://tree/Guide/Read%20Me.md' }],
    })
  })

  it('does not serve the catalogue itself, a folder, or a file that is gone', async () => {
    const folder = folderOf(['a'], { 'sub/b.txt': 'b' })
    const upstream = await client(await serveFolder(folder), era)
    rmSync(join(folder, 'f0.txt'))
    for (const uri of [
      'docs://tree/catalog.json',
      'docs://tree/sub',
      'docs://tree',
      'docs://tree/',
      'docs://catalog/a',
    ]) {
      const { code, data } = errorOf(await upstream.request('resources/read', { uri }))
      expect([uri, code, data.reason]).toEqual([uri, notFound[era], 'not-found'])
    }
  })

  it('finds what came a moment ago', async () => {
    const folder = folderOf(['a'])
    const upstream = await client(await serveFolder(folder), era)
    writeFileSync(join(folder, 'new.txt'), 'new')
    await vi.waitFor(async () => expect(await readText(upstream, 'docs://tree/new.txt')).toBe('new'), 10_000)
  })

  it('states the revision: equal content, equal revision', async () => {
    const folder = temporaryFolder()
    writeFiles(folder, { a: 'same', b: 'same', c: 'other' })
    const upstream = await client(await serveFolder(folder), era)
    const revision = async (path: string) =>
      (resultOf(await upstream.request('resources/read', { uri: `docs://tree/${path}` }))._meta as never)[
        revisionMeta
      ]
    const [a, b, c] = [await revision('a'), await revision('b'), await revision('c')]
    expect(a).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(a).toBe(b)
    expect(a).not.toBe(c)
    writeFileSync(join(folder, 'a'), 'changed')
    expect(await revision('a')).not.toBe(a)
  })

  it('serves what is not text as bytes, and refuses what is too long with its size', async () => {
    const folder = temporaryFolder()
    const bytes = Uint8Array.from([0x89, 0x50, 0xff, 0x00])
    writeFiles(folder, { 'x.png': bytes, 'bom.txt': '\ufefftext', 'long.txt': 'x'.repeat(101) })
    const upstream = await client(await serveFolder(folder, { maxFileBytes: 100 }), era)
    const { contents } = resultOf(await upstream.request('resources/read', { uri: 'docs://tree/x.png' }))
    expect(contents).toEqual([
      { uri: 'docs://tree/x.png', mimeType: 'image/png', blob: Buffer.from(bytes).toString('base64') },
    ])
    expect(await readText(upstream, 'docs://tree/bom.txt')).toBe('\ufefftext')
    const { code, message } = errorOf(
      await upstream.request('resources/read', { uri: 'docs://tree/long.txt' }),
    )
    expect([code, message]).toEqual([-32603, 'long.txt has 101 bytes; at most 100 are served'])
  })

  it('traces every read, also those that fail, with the trace id of the request, to client and log alike', async () => {
    const file = join(temporaryFolder(), 'reads.jsonl')
    const log = await openLineLog(file, () => {})
    const upstream = await client(await serveFolder(folderOf(['a b']), { log }), era)
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const uris = ['docs://catalog/a%20b', 'docs://catalog/a+b', 'docs://other', 'docs://tree/../x']
    const told: unknown[] = []
    for (const uri of uris) {
      const outcome = await upstream.request('resources/read', { uri }, { trace: { traceparent } })
      const meta = outcome.kind === 'result' ? outcome.value._meta : errorOf(outcome).data._meta
      told.push((meta as never)[traceMeta])
    }
    await log.close()
    const lines: ReadTrace[] = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines).toEqual(told)
    const steps = lines.map((line) => line.steps.map(({ step, ok }) => (ok ? step : `not ${step}`)))
    expect(steps).toEqual([
      ['match', 'decode', 'locate'],
      ['match', 'decode', 'not locate'],
      ['not match'],
      ['match', 'decode', 'not locate'],
    ])
    expect(lines.map(({ id, side, uri }) => [id, side, uri])).toEqual(
      uris.map((uri) => ['0af7651916cd43dd8448eb211c80319c', 'server', uri]),
    )
    expect(lines[0]?.steps).toMatchObject([
      {
        template: 'docs://catalog/{name}',
        uri: 'docs://catalog/a%20b',
        raw: [{}, { name: 'name', text: 'a%20b' }],
      },
      { values: { name: 'a b' } },
      { identifier: 'a b' },
    ])
  })
})
