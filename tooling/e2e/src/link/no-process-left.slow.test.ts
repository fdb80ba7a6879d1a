import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { describe, expect, it, onTestFinished } from 'vitest'
import { until } from './links.ts'
import { program } from './programs.ts'

const stubborn = join(import.meta.dirname, 'programs', 'misbehaving.mjs')

const lives = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe('a program that started a server which ends on nothing but a signal', () => {
  it.each(['exit', 'throw', 'reject', 'SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'leaves none behind when it ends by %s',
    async (way) => {
      const record = join(temporaryFolder(), 'record')
      const parent = spawn(process.execPath, [await program('parent'), way, stubborn, record], {
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      onTestFinished(() => void parent.kill('SIGKILL'))
      const ended = once(parent, 'exit')
      const [line] = await once(parent.stdout.setEncoding('utf8'), 'data')
      expect(line).toBe('connected\n')
      const pid = Number(/^started (\d+)$/m.exec(readFileSync(record, 'utf8'))?.[1])
      onTestFinished(() => {
        if (lives(pid)) process.kill(pid, 'SIGKILL')
      })
      if (way.startsWith('SIG')) parent.kill(way as NodeJS.Signals)
      const [code, signal] = await ended
      expect(way.startsWith('SIG') ? signal : code).toBe(way.startsWith('SIG') ? way : way === 'exit' ? 0 : 1)
      await until(() => !lives(pid))
    },
  )
})
