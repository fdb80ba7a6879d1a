import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { expect, it, onTestFinished } from 'vitest'
import { root, run } from './programs.ts'

const running = (part: string): number =>
  readdirSync('/proc').filter((entry) => {
    try {
      return /^\d+$/.test(entry) && readFileSync(join('/proc', entry, 'cmdline'), 'utf8').includes(part)
    } catch {
      return false
    }
  }).length

it.runIf(process.platform === 'linux')(
  'npm start serves the bundled servers, says what to try, and leaves nothing behind',
  { timeout: 120_000 },
  async () => {
    const folder = temporaryFolder()
    const child = spawn(
      process.execPath,
      [join(root, 'tooling', 'scripts', 'start.mjs'), '--http', '127.0.0.1:0'],
      {
        cwd: root,
        env: { ...process.env, NO_COLOR: '1', XDG_CONFIG_HOME: folder },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    onTestFinished(() => {
      child.kill('SIGKILL')
    })
    let printed = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += text
      })
    }
    const ended = new Promise<number | null>((resolve) => child.on('exit', (code) => resolve(code)))
    await new Promise<void>((resolve, reject) => {
      const look = setInterval(() => {
        if (!printed.includes('Ctrl-C ends this')) return
        clearInterval(look)
        resolve()
      }, 50)
      void ended.then((code) => {
        clearInterval(look)
        reject(new Error(`ended with ${code}: ${printed}`))
      })
    })
    // Every command it tells the reader to try works as it is printed.
    const tour = [...printed.matchAll(/^ {2}node (apps\/\S+) (.+)$/gm)]
    expect(tour.length).toBe(4)
    for (const [, program = '', words = ''] of tour) {
      const args = [...words.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
      const tried = await run(process.execPath, [join(root, program), ...args], { cwd: folder })
      expect(tried, words).toMatchObject({ code: 0 })
      if (words.startsWith('read')) {
        expect(tried.stdout).toContain(
          'docs://catalog/%D0%9E%D1%82%D1%87%D1%91%D1%82%20%D0%BC%D0%B0%D0%B9%2F%D0%B8%D1%8E%D0%BD%D1%8C',
        )
      }
    }
    child.kill('SIGINT')
    expect(await ended).toBe(0)
    expect(running('../../apps/server/dist/main.js')).toBe(0)
  },
)
