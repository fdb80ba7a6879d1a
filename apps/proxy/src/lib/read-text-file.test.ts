import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { expect, it } from 'vitest'
import { readTextFile } from './read-text-file.ts'

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
