import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Era, JsonObject, Upstream } from '@truename/mcp-link'
import { connect } from '@truename/sdk-v2'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { expandTemplate } from '@truename/uri-codec'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { programs, root, run } from './programs.ts'

const eras = ['legacy', 'modern'] as const
const documents = join(root, 'examples', 'knowledge-base')
const { documents: catalogue } = JSON.parse(readFileSync(join(documents, 'catalog.json'), 'utf8')) as {
  documents: Readonly<Record<string, string>>
}

/** Starts a built server over stdio and connects to it until the test ends. */
async function start(era: Era, program: string, ...args: readonly string[]): Promise<Upstream> {
  const written = { command: process.execPath, args: [program, ...args] }
  const connected = await connect(
    { id: 'bundled', kind: 'stdio', ...written, env: {}, cwd: root, written, options: {} },
    { client: { name: 'end-to-end', version: '0.0.0' }, era },
  )
  if (!connected.ok) throw new Error(connected.failure.message)
  onTestFinished(() => connected.upstream.close())
  return connected.upstream
}

async function ask(upstream: Upstream, method: string, params: JsonObject = {}): Promise<JsonObject> {
  const outcome = await upstream.request(method, params)
  if (outcome.kind !== 'result') throw new Error(JSON.stringify(outcome))
  return outcome.value
}

describe.each(eras)('the built knowledge base over stdio (%s)', (era) => {
  it('serves its seven documents letter for letter, and tells a missing one what was meant', async () => {
    const upstream = await start(era, programs.knowledgeBase, '--docs', documents)
    for (const [name, file] of Object.entries(catalogue)) {
      const uri = expandTemplate('docs://catalog/{name}', { name })
      const { contents } = await ask(upstream, 'resources/read', { uri })
      expect(contents).toMatchObject([{ uri, text: readFileSync(join(documents, file), 'utf8') }])
    }
    const right = expandTemplate('docs://catalog/{name}', { name: 'Отчёт май' })
    const missing = await upstream.request('resources/read', { uri: right.replace('%20', '+') })
    expect(missing).toMatchObject({
      kind: 'error',
      error: {
        code: era === 'legacy' ? -32002 : -32602,
        message: expect.stringMatching(/not found.*"\+".*%20/),
        data: { reason: 'not-found', didYouMean: [{ uri: right }] },
      },
    })
  })
})

describe.each(eras)('the built shop over stdio (%s)', (era) => {
  it('announces a changed tool while it runs, and is still changed when it is started again', async () => {
    const control = join(temporaryFolder(), 'shop-a.json')
    const args = ['--id', 'shop-a', '--control', control] as const
    const upstream = await start(era, programs.shop, ...args)
    const announced = vi.fn()
    upstream.onNotification(({ method }) => announced(method))
    await upstream.listen({ toolsListChanged: true })
    writeFileSync(control, '{"description":"Changed."}')
    await vi.waitFor(() => expect(announced).toHaveBeenCalledWith('notifications/tools/list_changed'), 10_000)
    for (const shop of [upstream, await start(era, programs.shop, ...args)]) {
      expect((await ask(shop, 'tools/list')).tools).toMatchObject([
        { name: 'search', description: 'Changed.' },
      ])
    }
    const called = await ask(upstream, 'tools/call', { name: 'search', arguments: { query: 'tea' } })
    expect(called.structuredContent).toMatchObject({ shop: 'shop-a' })
  })
})

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '0' } },
}
const commands: readonly (readonly [name: string, args: readonly string[]])[] = [
  ['the knowledge base', [programs.knowledgeBase, '--docs', documents]],
  ['the shop', [programs.shop, '--id', 'shop-a']],
]

describe.each(commands)('%s as a process', (_name, args) => {
  it('writes nothing but messages on stdout, and ends when its stdin is closed', async () => {
    const input = `${JSON.stringify(initialize)}\n`
    const { code, stdout, stderr } = await run(process.execPath, args, { cwd: root, input })
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ jsonrpc: '2.0', id: 1 }])
    expect([code, stderr]).toEqual([0, ''])
  })

  it.skipIf(process.platform === 'win32').each(['SIGINT', 'SIGTERM'] as const)(
    'ends on %s',
    async (signal) => {
      for (const more of [[], ['--http', '127.0.0.1:0']]) {
        const child = spawn(process.execPath, [...args, ...more], { stdio: ['pipe', 'pipe', 'pipe'] })
        onTestFinished(() => void child.kill('SIGKILL'))
        const ended = new Promise((resolve) => child.on('exit', (code, by) => resolve(code ?? by)))
        // It is ready once it answers, or says where it listens.
        if (more.length === 0) child.stdin.write(`${JSON.stringify(initialize)}\n`)
        const ready = new Promise((resolve) =>
          (more.length === 0 ? child.stdout : child.stderr).once('data', resolve),
        )
        await Promise.race([ready, ended])
        child.kill(signal)
        expect(await ended).toBe(0)
      }
    },
  )

  it('says in one line that a port is taken, and what to do', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as { port: number }
    const taken = await run(process.execPath, [...args, '--http', `127.0.0.1:${port}`], { cwd: root })
    expect(taken).toMatchObject({ code: 1, stdout: '' })
    expect(taken.stderr).toMatch(
      /^truename-\w+: cannot listen at 127\.0\.0\.1:\d+: the port is taken; choose another.*\n$/,
    )
    const wrong = await run(process.execPath, [...args, '--http', 'here'], { cwd: root })
    expect(wrong).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^truename-\w+: --http "here" is not HOST:PORT.*\n$/),
    })
  })
})

describe('the knowledge base on bad input', () => {
  it('names the folder that is not there, and the option', async () => {
    const missing = join(temporaryFolder(), 'none')
    const { code, stderr } = await run(process.execPath, [programs.knowledgeBase, '--docs', missing], {
      cwd: root,
    })
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^truename-server: cannot read the folder .*none: .*; give a folder of documents with --docs\n$/,
    )
  })

  it('serves what is sound of a catalogue, and names file, line and column of the rest', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'a.txt'), 'a')
    writeFileSync(
      join(folder, 'catalog.json'),
      '{"documents":{"a":"a.txt",\n  "b": 7, "c": "gone.txt", "d": "../../etc/passwd"}}',
    )
    const input = `${JSON.stringify(initialize)}\n`
    const { code, stderr } = await run(process.execPath, [programs.knowledgeBase, '--docs', folder], {
      cwd: root,
      input,
    })
    expect(code).toBe(0)
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/catalog\.json:2:8: "b" must be a file path/),
      expect.stringMatching(/catalog\.json: "c": there is no file "gone\.txt" in the folder$/),
      expect.stringMatching(/catalog\.json: "d": there is no file "\.\.\/\.\.\/etc\/passwd" in the folder$/),
    ])
  })
})
