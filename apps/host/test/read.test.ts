import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type JsonObject, keyMeta, readingMeta, refusedMeta, revisionMeta } from '@truename/mcp-link'
import type { ReadTrace } from '@truename/template-matcher'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { expandTemplate } from '@truename/uri-codec'
import { describe, expect, it } from 'vitest'
import { exitCodes } from '../src/lib/exit-code.ts'
import { type Answers, endpointOf, host, Refusal } from './endpoint-of.ts'

const template = 'docs://catalog/{name}'
const uriOf = (name: string): string => expandTemplate(template, { name })
const resource = (name: string, more: object = {}) => ({ uri: uriOf(name), name, ...more })
const notFound = (uri: unknown): Refusal =>
  new Refusal(-32602, 'Resource not found', { uri: String(uri), reason: 'not-found' })

/** A server that reads every URI of these names, as its very name. */
const library = (names: readonly string[], more: Answers = {}): Answers => ({
  'resources/list': () => ({ resources: names.map((name) => resource(name)) }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  'resources/read': ({ uri }) => {
    const name = names.find((one) => uriOf(one) === uri)
    if (name === undefined) throw notFound(uri)
    return { contents: [{ uri: String(uri), text: `text of ${name}` }], _meta: { [revisionMeta]: 'r1' } }
  },
  ...more,
})

describe('reading a document by its name', () => {
  it('prints the text under its name, URI, server, revision and time', async () => {
    const { url } = await endpointOf(library(['Отчёт май/июнь', 'Отчёт май']))
    const { exitCode, out, notes } = await host('read', 'отчет  МАЙ/июнь', '--url', url, '--server', 'kb')
    expect(notes).toEqual([])
    expect(exitCode).toBe(exitCodes.ok)
    const [name, uri, server, revision, time, blank, text] = out.split('\n')
    expect(name).toBe('Отчёт май/июнь')
    expect(uri).toBe(`  uri       ${uriOf('Отчёт май/июнь')}`)
    expect(server).toBe('  server    kb')
    expect(revision).toBe('  revision  r1')
    expect(time).toMatch(/^ {2}read {6}\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    expect([blank, text]).toEqual(['', 'text of Отчёт май/июнь'])
  })

  it('prints the text alone, letter for letter, where that is asked for', async () => {
    const text = 'no newline at the end, a \u001b[31m and a \ufeff'
    const { url } = await endpointOf(
      library(['a'], { 'resources/read': ({ uri }) => ({ contents: [{ uri: String(uri), text }] }) }),
    )
    expect((await host('read', 'a', '--text', '--url', url)).out).toBe(text)
  })

  it('says what the proxy says of server and time, which the endpoint alone does not know', async () => {
    const time = '2026-01-02T03:04:05.678Z'
    const { url } = await endpointOf({
      'resources/list': () => ({ resources: [resource('a')] }),
      'resources/read': ({ uri }) => ({
        contents: [{ uri: String(uri), text: 'x' }],
        _meta: { [readingMeta]: { server: 'kb', uri: String(uri), time } },
      }),
    })
    const { out } = await host('read', 'a', '--json', '--url', url)
    expect(JSON.parse(out)).toMatchObject({ found: 'read', name: 'a', server: 'kb', time, uri: uriOf('a') })
  })

  it('picks a listed URI as it is listed, however it is spelt', async () => {
    const uri = 'KBase://Host/a%2fb?x=%41'
    const { url, asked } = await endpointOf({
      'resources/list': () => ({ resources: [{ uri, name: 'A' }] }),
      'resources/read': () => ({ contents: [{ uri, text: 'x' }] }),
    })
    expect((await host('read', 'a', '--url', url)).exitCode).toBe(exitCodes.ok)
    expect(asked.find(([method]) => method === 'resources/read')?.[1].uri).toBe(uri)
  })

  it('finds what is only completed, and expands the listed template with the exact value', async () => {
    const { url } = await endpointOf(
      library(['Отчёт май'], {
        'resources/list': () => ({ resources: [] }),
        'resources/templates/list': () => ({
          resourceTemplates: [{ uriTemplate: template, name: 'catalog' }],
        }),
        // Like many servers: prefixes, letter by letter.
        'completion/complete': ({ argument }) => ({
          completion: {
            values: ['Отчёт май', 'Смета'].filter((name) =>
              name.startsWith(String((argument as JsonObject).value)),
            ),
          },
        }),
      }),
    )
    const log = join(temporaryFolder(), 'reads.jsonl')
    const { exitCode, out } = await host('read', 'ОТЧЁТ МАЙ', '--json', '--log', log, '--url', url)
    expect(exitCode).toBe(exitCodes.ok)
    const { trace } = JSON.parse(out) as { trace: ReadTrace }
    expect(trace.steps).toMatchObject([
      { step: 'declare', template, listedAt: expect.stringMatching(/Z$/) },
      { step: 'fill', values: { name: 'Отчёт май' } },
      { step: 'encode', uri: uriOf('Отчёт май') },
      { step: 'send', ok: true, uri: uriOf('Отчёт май') },
    ])
    expect(JSON.parse(readFileSync(log, 'utf8'))).toEqual(trace)
  })

  it('sends a traceparent whose trace id stands in its own trace', async () => {
    let traceparent: string | undefined
    const { url } = await endpointOf(
      library(['a'], {
        'resources/read': ({ uri }, { trace }) => {
          traceparent = trace?.traceparent
          return { contents: [{ uri: String(uri), text: 'x' }] }
        },
      }),
    )
    const { out } = await host('read', 'a', '--json', '--url', url)
    const { id } = JSON.parse(out).trace
    expect(traceparent).toMatch(new RegExp(`^00-${id}-[0-9a-f]{16}-01$`))
    expect(id).toMatch(/^[0-9a-f]{32}$/)
  })

  it('fills a path template with segments, so that slashes stay', async () => {
    const { url, asked } = await endpointOf({
      'resources/templates/list': () => ({
        resourceTemplates: [{ uriTemplate: 'docs://tree{/path*}', name: 'tree' }],
      }),
      'completion/complete': () => ({ completion: { values: ['guide/open risks.md'] } }),
      'resources/read': ({ uri }) => ({ contents: [{ uri: String(uri), text: 'x' }] }),
    })
    for (const asked of ['guide/open risks.md', 'Open Risks.md', 'open risks']) {
      expect((await host('read', asked, '--url', url)).exitCode).toBe(exitCodes.ok)
    }
    const read = asked.filter(([method]) => method === 'resources/read').map(([, { uri }]) => uri)
    expect(read).toEqual(Array.from({ length: 3 }, () => 'docs://tree/guide/open%20risks.md'))
  })

  it('fills the template with the very name where the server neither lists nor completes', async () => {
    const names = ['a+b', '%2F', '/']
    const { url } = await endpointOf(
      library(names, {
        'resources/list': () => ({ resources: [] }),
        'resources/templates/list': () => ({
          resourceTemplates: [
            { uriTemplate: template, name: 'catalog' },
            { uriTemplate: 'docs://{a}/{b}', name: 'two variables' },
            { uriTemplate: 'docs://{unclosed', name: 'no template' },
          ],
        }),
      }),
    )
    for (const name of names) {
      expect((await host('read', name, '--text', '--url', url)).out).toBe(`text of ${name}`)
    }
    const { exitCode, notes } = await host('read', 'A+B', '--url', url)
    expect([exitCode, notes]).toEqual([exitCodes.notFound, ['no document is named A+B']])
  })

  it('reads nothing and lists the choice where a name means several documents', async () => {
    const of = (server: string) => ({ _meta: { [keyMeta]: { server, kind: 'resource', name: 'x' } } })
    const { url, asked } = await endpointOf({
      'resources/list': () => ({
        resources: [
          { uri: 'a:plan', name: 'Plan', ...of('a') },
          { uri: 'b:plan', name: 'Plan', ...of('b') },
        ],
      }),
      'resources/read': ({ uri }) => ({ contents: [{ uri: String(uri), text: `from ${uri}` }] }),
    })
    const { exitCode, out, notes } = await host('read', 'plan', '--url', url)
    expect([exitCode, out]).toEqual([exitCodes.ambiguous, '  Plan  a  a:plan\n  Plan  b  b:plan\n'])
    expect(notes[0]).toMatch(/^plan is the name of 2 documents; choose one with --from SERVER/)
    expect(asked.filter(([method]) => method === 'resources/read')).toEqual([])
    expect((await host('read', 'plan', '--from', 'b', '--text', '--url', url)).out).toBe('from b:plan')
    expect((await host('read', 'a:plan', '--uri', '--text', '--url', url)).out).toBe('from a:plan')
  })

  it('suggests names that hold the words, and reads none of them', async () => {
    const { url, asked } = await endpointOf(library(['Отчёт май', 'Отчёт май/июнь', 'Смета']))
    const { exitCode, out } = await host('read', 'май', '--url', url)
    expect(exitCode).toBe(exitCodes.notFound)
    expect(out.split('\n').map((line) => line.trim().split('  ')[0])).toEqual([
      'Отчёт май',
      'Отчёт май/июнь',
      '',
    ])
    expect(asked.filter(([method]) => method === 'resources/read')).toEqual([])
  })

  it('passes on what the server explains of a URI that names nothing', async () => {
    const { url } = await endpointOf(
      library(['a b'], {
        'resources/read': ({ uri }) => {
          throw new Refusal(-32002, 'Resource not found', {
            uri: String(uri),
            explanation: ['a space was written as "+"'],
            didYouMean: [{ name: 'a b', uri: uriOf('a b') }],
          })
        },
      }),
    )
    const { exitCode, notes } = await host('read', 'docs://catalog/a+b', '--uri', '--url', url)
    expect(exitCode).toBe(exitCodes.notFound)
    expect(notes).toEqual([
      'docs://catalog/a+b: Resource not found',
      '  a space was written as "+"',
      '  did you mean a b?  docs://catalog/a%20b',
    ])
  })

  it('ends with the code of a refusal where the gate refused', async () => {
    const { url } = await endpointOf(
      library(['a'], {
        'resources/read': () => {
          throw new Refusal(-32000, 'denied by rule 2', { _meta: { [refusedMeta]: { reason: 'policy' } } })
        },
      }),
    )
    expect((await host('read', 'a', '--url', url)).exitCode).toBe(exitCodes.refused)
  })

  it('lists every page, and says which list could not be had', async () => {
    const { url } = await endpointOf(
      library(['a', 'b'], {
        'resources/list': ({ cursor }) =>
          cursor === undefined
            ? { resources: [resource('a')], nextCursor: '' }
            : {
                resources: [resource('b')],
                ...(cursor === '' ? { nextCursor: 'again' } : { nextCursor: 'again' }),
              },
      }),
    )
    const { exitCode, notes } = await host('read', 'b', '--url', url)
    expect(exitCode).toBe(exitCodes.ok)
    expect(notes).toEqual(['resources/list: the server repeated a cursor; the walk ends here'])
  })

  it('goes on without a list that fails, and says so', async () => {
    const { url } = await endpointOf(
      library(['a'], {
        'resources/templates/list': () => {
          throw new Refusal(-32603, 'out of order')
        },
      }),
    )
    const { exitCode, notes } = await host('read', 'a', '--url', url)
    expect([exitCode, notes]).toEqual([exitCodes.ok, ['a list is incomplete: out of order']])
  })

  it('shows control characters in names instead of obeying them', async () => {
    const { url } = await endpointOf(library(['evil \u001b]0;title\u0007 plan', 'evil \u202e plan']))
    const { out } = await host('read', 'plan', '--url', url)
    expect(out).not.toMatch(/[\u001b\u0007\u202e]/)
    expect(out).toContain('U+001B')
  })
})
