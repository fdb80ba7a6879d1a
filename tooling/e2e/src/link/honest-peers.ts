import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect as connectSocket } from 'node:net'
import { join } from 'node:path'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createMcpHandler } from '@modelcontextprotocol/server'
import type { JsonObject, ServerConfig, Service } from '@truename/mcp-link'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { adapters, connectFor, until } from './links.ts'
import { httpConfig, installed, program, stdioConfig } from './programs.ts'
import { sampleService } from './sample-service.ts'
import { sdkServer } from './sdk-servers.ts'

/** A server that keeps to the protocol as its authors understand it, and what the contract expects of it. */
export interface HonestPeer {
  /** Starts what has to run, until the test ends, and says how to reach it. `mark` is in the environment of a child. */
  readonly config: (mark: Readonly<Record<string, string>>) => Promise<ServerConfig>
  /** The era each line ends up in; nothing where it cannot connect. */
  readonly v1?: 'legacy'
  readonly v2: 'legacy' | 'modern'
  /** Some of its tools. */
  readonly tools: readonly string[]
  /** A tool that answers for itself: what text comes for what argument. */
  readonly call?:
    | {
        readonly name: string
        readonly args: (text: string) => JsonObject
        readonly text: (text: string) => string
      }
    | undefined
  /** Whether its tool `ask` can ask a client of each era. */
  readonly asks?: { readonly legacy: boolean; readonly modern: boolean }
}

type Config = HonestPeer['config']

async function listen(handle: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}

/** A sessionful server on the v1 line. */
async function httpServerV1(): Promise<string> {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  return listen(async (request, response) => {
    const known = sessions.get(String(request.headers['mcp-session-id']))
    if (known) return known.handleRequest(request, response)
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    })
    const server = new McpServerV1({ name: 'sdk', version: '1.0.0' })
    server.registerTool('double', { inputSchema: { n: z.number() } }, async ({ n }) => ({
      content: [{ type: 'text', text: String(n * 2) }],
    }))
    server.registerTool('ask', {}, async (extra) => {
      const answer = await server.server.elicitInput(
        { message: 'Which?', requestedSchema: { type: 'object', properties: { pick: { type: 'string' } } } },
        { relatedRequestId: extra.requestId },
      )
      return { content: [{ type: 'text', text: JSON.stringify(answer.content ?? answer.action) }] }
    })
    await server.connect(transport as never)
    await transport.handleRequest(request, response)
  })
}

function httpServerV2(legacy: 'stateless' | 'reject'): Promise<string> {
  const handler = toNodeHandler(createMcpHandler(() => sdkServer(), { legacy }))
  return listen((request, response) => void handler(request as never, response))
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connectSocket({ port, host: '127.0.0.1' })
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

/** Starts a program that listens on a port, until the test ends. */
async function listeningProgram(
  args: (port: number) => readonly string[],
  env: (port: number) => Readonly<Record<string, string>> = () => ({}),
): Promise<string> {
  const port = await freePort()
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, [...args(port)], {
    cwd: temporaryFolder(),
    env: { PATH, HOME: temporaryFolder(), NO_COLOR: '1', ...env(port) },
    stdio: 'ignore',
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await until(() => accepts(port))
  return `http://127.0.0.1:${port}/mcp`
}

/** A stdio server behind our own HTTP half: one upstream for all its clients, everything relayed as it is. */
const behindHttp =
  (config: Config, line: keyof typeof adapters): Config =>
  async (mark) => {
    const { upstream } = await connectFor(line, await config(mark))
    const service: Service = {
      declare: () => ({
        info: { name: 'relay', version: '1' },
        capabilities: upstream.capabilities,
        instructions: upstream.instructions,
      }),
      accept: (client) =>
        client.serve((method, params, context) => upstream.request(method, params, context)),
    }
    const endpoint = await adapters[line].serveHttp(service)
    onTestFinished(() => endpoint.close())
    return httpConfig('s', endpoint.url)
  }

const ownOverHttp =
  (line: keyof typeof adapters): Config =>
  async () => {
    const endpoint = await adapters[line].serveHttp(sampleService().service)
    onTestFinished(() => endpoint.close())
    return httpConfig('s', endpoint.url)
  }

const started =
  (name: string, ...args: readonly string[]): Config =>
  async (mark) =>
    stdioConfig('s', [await program(name), ...args], { env: mark })

const double: HonestPeer['call'] = {
  name: 'double',
  args: (text) => ({ n: text.length }),
  text: (text) => String(text.length * 2),
}
const echo = (argument: string, answer: (text: string) => string): HonestPeer['call'] => ({
  name: 'echo',
  args: (text) => ({ [argument]: text }),
  text: answer,
})
const sdk = { tools: ['double', 'ask'], call: double }
const own = {
  tools: ['echo', 'strange'],
  call: echo('text', (text) => text),
  asks: { legacy: true, modern: true },
}

const everything = {
  tools: ['echo', 'get-sum', 'trigger-long-running-operation'],
  call: echo('message', (text) => `Echo: ${text}`),
  v1: 'legacy',
  v2: 'legacy',
} as const
const everythingFile = () => installed('@modelcontextprotocol/server-everything')
/** Starts `@modelcontextprotocol/server-everything`, over stdio or HTTP. */
export const serverEverything: Readonly<Record<'stdio' | 'http', Config>> = {
  stdio: async (mark) => stdioConfig('s', [everythingFile(), 'stdio'], { env: mark }),
  http: async () =>
    httpConfig(
      's',
      await listeningProgram(
        () => [everythingFile(), 'streamableHttp'],
        (port) => ({ PORT: String(port) }),
      ),
    ),
}

const filesystem: Config = async (mark) => {
  const folder = temporaryFolder()
  for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, `${name}.txt`), `text of ${name}`)
  const file = installed('@modelcontextprotocol/server-filesystem')
  return stdioConfig('s', [file, folder], { cwd: folder, env: mark })
}
const helloWorld: Config = async (mark) => stdioConfig('s', [installed('mcp-hello-world')], { env: mark })
const knip: Config = async (mark) => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'src'))
  writeFileSync(join(folder, 'package.json'), '{"name":"x","version":"1.0.0"}')
  return stdioConfig('s', [installed('@knip/mcp')], { cwd: folder, env: mark })
}
const panda: Config = async (mark) => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'panda.config.ts'), 'export default { include: [], outdir: "out" }')
  return stdioConfig('s', [installed('@pandacss/mcp')], { cwd: folder, env: mark })
}

/** A published server that speaks stdio alone: as it is, and over HTTP behind our own half. */
const stdioAlone = (
  name: string,
  config: Config,
  more: Pick<HonestPeer, 'tools' | 'call'>,
): Record<string, HonestPeer> => ({
  [`${name} over stdio`]: { config, v1: 'legacy', v2: 'legacy', ...more },
  [`${name} behind HTTP of the v1 line`]: {
    config: behindHttp(config, 'v1'),
    v1: 'legacy',
    v2: 'legacy',
    ...more,
  },
  [`${name} behind HTTP of the v2 line`]: {
    config: behindHttp(config, 'v2'),
    v1: 'legacy',
    v2: 'modern',
    ...more,
  },
})

/** Every server the contract is run against. */
export const honestPeers: Readonly<Record<string, HonestPeer>> = {
  'our own v1 server over stdio': { config: started('sample-server-v1'), v1: 'legacy', v2: 'legacy', ...own },
  'our own v2 server over stdio': { config: started('sample-server'), v1: 'legacy', v2: 'modern', ...own },
  'our own v1 server over HTTP': { config: ownOverHttp('v1'), v1: 'legacy', v2: 'legacy', ...own },
  'our own v2 server over HTTP': { config: ownOverHttp('v2'), v1: 'legacy', v2: 'modern', ...own },
  'a v1 server over stdio': {
    config: started('sdk-server-v1'),
    v1: 'legacy',
    v2: 'legacy',
    asks: { legacy: true, modern: false },
    ...sdk,
  },
  'a v1 server over HTTP': {
    config: async () => httpConfig('s', await httpServerV1()),
    v1: 'legacy',
    v2: 'legacy',
    asks: { legacy: true, modern: false },
    ...sdk,
  },
  'a v2 server over stdio': {
    config: started('sdk-server-v2'),
    v1: 'legacy',
    v2: 'modern',
    asks: { legacy: true, modern: true },
    ...sdk,
  },
  'a v2 server over HTTP': {
    config: async () => httpConfig('s', await httpServerV2('stateless')),
    v1: 'legacy',
    v2: 'modern',
    asks: { legacy: false, modern: true },
    ...sdk,
  },
  'a modern-only server over stdio': {
    config: started('sdk-server-v2', 'modern-only'),
    v2: 'modern',
    asks: { legacy: false, modern: true },
    ...sdk,
  },
  'a modern-only server over HTTP': {
    config: async () => httpConfig('s', await httpServerV2('reject')),
    v2: 'modern',
    asks: { legacy: false, modern: true },
    ...sdk,
  },
  'server-everything over stdio': { config: serverEverything.stdio, ...everything },
  'server-everything over HTTP': { config: serverEverything.http, ...everything },
  'context7-mcp (dual-era) over stdio': {
    config: async (mark) => stdioConfig('s', [installed('@upstash/context7-mcp')], { env: mark }),
    v1: 'legacy',
    v2: 'modern',
    tools: ['resolve-library-id'],
  },
  'context7-mcp (dual-era) over HTTP': {
    config: async () =>
      httpConfig(
        's',
        await listeningProgram((port) => [
          installed('@upstash/context7-mcp'),
          '--transport',
          'http',
          '--port',
          String(port),
        ]),
      ),
    v1: 'legacy',
    v2: 'modern',
    tools: ['resolve-library-id'],
  },
  ...stdioAlone('server-filesystem', filesystem, {
    tools: ['read_text_file', 'list_directory'],
    call: {
      name: 'read_text_file',
      args: (text) => ({ path: `${text.slice(0, 1)}.txt` }),
      text: (text) => `text of ${text.slice(0, 1)}`,
    },
  }),
  ...stdioAlone('mcp-hello-world', helloWorld, { tools: ['echo'] }),
  ...stdioAlone('knip-mcp', knip, { tools: [] }),
  ...stdioAlone('panda-mcp', panda, { tools: [] }),
}
