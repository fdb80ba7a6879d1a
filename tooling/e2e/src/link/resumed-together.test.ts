import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { call, connectFor } from './links.ts'
import { httpConfig } from './programs.ts'

async function resumableServer(): Promise<string> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'programs', 'resumable.mjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill())
  const [port] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  return `http://127.0.0.1:${port.trim()}/mcp`
}

describe.each(['v1', 'v2'] as const)('calls whose streams are cut at once, on the %s line,', (line) => {
  it.each([
    ['cut', false],
    ['ended', true],
  ])('are answered or fail each by itself, however their attempts fall (%s)', async (_how, ends) => {
    const url = await resumableServer()
    const { upstream } = await connectFor(line, httpConfig('s', url), { era: 'legacy' })
    const patient = { timeoutMs: 60_000 }
    const delays = [0, 0, 3, 15, 30, 30]
    const failing = delays.map((delayMs) => call(upstream, 'failing', { delayMs, ends }, patient))
    failing.push(call(upstream, 'page', { delayMs: 3, ends }, patient))
    const answered = delays.map((delayMs) => call(upstream, 'answered', { delayMs, ends }, patient))
    for (const outcome of await Promise.all(failing))
      expect(outcome).toMatchObject({ kind: 'error', failure: 'transport' })
    const texts = (await Promise.all(answered)).map((outcome) => outcome.kind === 'result' && outcome.value)
    expect(new Set(texts.map((value) => JSON.stringify(value))).size).toBe(delays.length)
    expect(texts).not.toContain(false)
  })
})
