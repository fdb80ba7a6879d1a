import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { expect, it } from 'vitest'
import { filesToFollow } from './files-to-follow.ts'
import { openWorkspace } from './workspace.ts'

it('the files that are followed are those the configuration names now, be they there or not', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'truename.json')
  const elsewhere = join(folder, 'elsewhere', 'lock.json')
  const write = (truename: object): void =>
    writeFileSync(file, JSON.stringify({ mcpServers: {}, truename, written: Math.random() }))
  write({})
  const files = filesToFollow(await openWorkspace(file, ''))
  const named = (...names: readonly string[]) => [file, ...names.map((name) => join(folder, name))]
  const note = join('.truename', 'confirmed-lock.json')
  expect(files()).toEqual(named('truename.lock.json', note))
  write({ policy: 'not-there-yet.json' })
  expect(files()).toEqual(named('truename.lock.json', note, 'not-there-yet.json'))
  write({ policy: [], lock: elsewhere })
  const last = named('elsewhere/lock.json', note)
  expect(files()).toEqual(last)
  for (const damage of [() => write({ lock: 1 }), () => writeFileSync(file, '{'), () => rmSync(file)]) {
    damage()
    expect(files()).toEqual(last)
  }
  write({ lock: 'other.json' })
  expect(files()).toEqual(named('other.json', note))
})
