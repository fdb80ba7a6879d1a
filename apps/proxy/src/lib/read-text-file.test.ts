import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { expect, it } from 'vitest'
import { isMissing, isPipe, readTextFile } from './read-text-file.ts'

it('a file is read whole or refused in one line that says why', () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'folder'))
  writeFileSync(join(folder, 'latin1'), 'café', 'latin1')
  writeFileSync(join(folder, 'utf8'), '\ufeffcafé\ufffd')
  expect(readTextFile(join(folder, 'utf8'), '')).toBe('\ufeffcafé\ufffd')
  for (const [name, what] of [
    ['missing', 'there is no such file'],
    ['folder', 'is a folder, not a file'],
    ['latin1', 'is no UTF-8 text'],
  ] as const)
    expect(() => readTextFile(join(folder, name), 'Look again.')).toThrow(
      `${join(folder, name)}: ${what}. Look again.`,
    )
})

it.skipIf(process.platform === 'win32')('what is no file is never waited for', () => {
  const folder = temporaryFolder()
  const at = (name: string): string => join(folder, name)
  expect(spawnSync('mkfifo', [at('pipe')]).status).toBe(0)
  symlinkSync('loop', at('loop'))
  symlinkSync('nowhere', at('dangling'))
  writeFileSync(at('file'), '')
  const cases = ['pipe', 'loop', 'dangling', 'file', '.', 'missing'].map(at)
  expect(() => readTextFile('/dev/null', '')).toThrow('is a pipe or a device')
  expect(() => readTextFile(at('pipe'), '')).toThrow('is a pipe or a device')
  expect(() => readTextFile(at('loop'), '')).toThrow('ELOOP')
  expect(cases.map(isPipe)).toEqual([true, false, false, false, false, false])
  // What cannot be looked at is there all the same.
  expect(cases.map(isMissing)).toEqual([false, false, true, false, false, true])
})
