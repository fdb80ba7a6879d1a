import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { heldMeta, keyMeta, refusedMeta } from '@truename/mcp-link'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { describe, expect, it } from 'vitest'
import { exitCodes } from '../src/lib/exit-code.ts'
import { type Answers, endpointOf, host, Refusal } from './endpoint-of.ts'

const tool = (server: string) => ({
  name: `${server}__search`,
  inputSchema: { type: 'object', properties: { query: { type: 'string' }, limit: { type: 'integer' } } },
  _meta: { [keyMeta]: { server, kind: 'tool', name: 'search' } },
})
const held = [
  { server: 'shop-a', kind: 'tool', name: 'search', field: 'description', message: 'the description moved' },
]

const proxy = (more: Answers = {}): Answers => ({
  'tools/list': () => ({ tools: [tool('shop-a'), tool('shop-b')] }),
  'tools/call': ({ name, arguments: args }) => ({
    content: [{ type: 'text', text: `${name} ${JSON.stringify(args)}` }],
  }),
  ...more,
})

describe('the tools', () => {
  it('are listed as flat name and pair', async () => {
    const { url } = await endpointOf(proxy())
    const { exitCode, out, notes } = await host('tools', '--url', url)
    expect([exitCode, notes]).toEqual([exitCodes.ok, []])
    expect(out).toBe(
      'FLAT NAME       SERVER  TOOL\nshop-a__search  shop-a  search\nshop-b__search  shop-b  search\n',
    )
    expect(JSON.parse((await host('tools', '--json', '--url', url)).out)).toMatchObject([
      { flat: 'shop-a__search', server: 'shop-a', tool: 'search', definition: { inputSchema: {} } },
      { flat: 'shop-b__search' },
    ])
  })

  it('of a direct connection are the configured server’s own', async () => {
    const { url } = await endpointOf({
      'tools/list': () => ({ tools: [{ name: 'search', inputSchema: {} }] }),
    })
    const file = join(temporaryFolder(), 'mcp.json')
    writeFileSync(file, JSON.stringify({ mcpServers: { mine: { url } } }))
    expect((await host('tools', '--config', file)).out.split('\n')[1]).toBe('search     mine    search')
  })

  it('that are held are named after the answer of every command', async () => {
    const { url } = await endpointOf(
      proxy({ 'tools/list': () => ({ tools: [tool('shop-a')], _meta: { [heldMeta]: held } }) }),
    )
    const line = '1 tool held: shop-a/search description'
    expect((await host('tools', '--url', url)).notes).toEqual([line])
    expect((await host('call', 'shop-a__search', '--url', url)).notes).toEqual([line])
    expect((await host('read', 'x', '--url', url)).notes.at(-1)).toBe(line)
    const { out } = await host('held', '--url', url)
    expect(out).toBe('shop-a/search description: the description moved\n')
  })
})

describe('a call', () => {
  it('takes JSON or typed pairs, goes to the flat name as it is listed, and prints the text', async () => {
    const { url } = await endpointOf(proxy())
    const pairs = ['--arg', 'query=tea', '--arg', 'limit=2']
    expect((await host('call', 'shop-b__search', ...pairs, '--url', url)).out).toBe(
      'shop-b__search {"query":"tea","limit":2}\n',
    )
    expect((await host('call', 'shop-a__search', '{"query":"5"}', '--url', url)).out).toBe(
      'shop-a__search {"query":"5"}\n',
    )
  })

  it.each<[string, () => unknown, keyof typeof exitCodes, RegExp | undefined]>([
    [
      'a tool error',
      () => ({ content: [{ type: 'text', text: 'no' }], isError: true }),
      'toolError',
      undefined,
    ],
    [
      'a refusal',
      () => ({
        content: [{ type: 'text', text: 'held' }],
        isError: true,
        _meta: { [refusedMeta]: { server: 'shop-a', kind: 'tool', name: 'search', reason: 'held' } },
      }),
      'refused',
      /^refused: shop-a\/search \(held\)$/,
    ],
    [
      'a protocol error',
      () => {
        throw new Refusal(-32602, 'bad')
      },
      'protocolError',
      /^shop-a__search: bad \(-32602\)$/,
    ],
  ])('that ends in %s says so by its exit code', async (_what, reply, code, note) => {
    const { url } = await endpointOf(proxy({ 'tools/call': reply as never }))
    const { exitCode, notes } = await host('call', 'shop-a__search', '--url', url)
    expect(exitCode).toBe(exitCodes[code])
    if (note) expect(notes[0]).toMatch(note)
  })

  it('prints every kind of content in a line that says what it is', async () => {
    const content = [
      { type: 'text', text: 'plain' },
      { type: 'resource_link', uri: 'docs://a', name: 'A' },
      { type: 'resource', resource: { uri: 'docs://b', text: 'embedded' } },
      { type: 'image', mimeType: 'image/png', data: 'AAAA' },
      { type: 'future', x: 1 },
    ]
    const { url } = await endpointOf(proxy({ 'tools/call': () => ({ content }) }))
    expect((await host('call', 'shop-a__search', '--url', url)).out.trimEnd().split('\n')).toEqual([
      'plain',
      '[link] A  docs://a',
      'embedded',
      '[image] image/png, 3 bytes',
      '{"type":"future","x":1}',
    ])
  })

  it('of a tool that is not listed names those it could have meant', async () => {
    const { url, asked } = await endpointOf(proxy())
    const { exitCode, notes } = await host('call', 'search', '--url', url)
    expect(exitCode).toBe(exitCodes.notFound)
    expect(notes).toEqual([
      'truename-host: no tool is listed as "search"; did you mean shop-a__search, shop-b__search',
    ])
    expect(asked.filter(([method]) => method === 'tools/call')).toEqual([])
  })
})
