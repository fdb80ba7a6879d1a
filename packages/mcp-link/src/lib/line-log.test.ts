import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { expect, it } from 'vitest'
import { openLineLog } from './line-log.ts'

it('appends one JSON line per record, in order, also after it is opened again', async () => {
  const file = join(temporaryFolder(), 'reads.jsonl')
  for (const start of [0, 100]) {
    const log = await openLineLog(file, () => {})
    for (let at = 0; at < 100; at += 1) log.write({ at: start + at, text: 'one\ntwo' })
    await log.close()
  }
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).at)).toEqual(Array.from({ length: 200 }, (_, at) => at))
})

it.skipIf(process.platform === 'win32')('keeps the log from other users', async () => {
  const file = join(temporaryFolder(), 'reads.jsonl')
  await openLineLog(file, () => {})
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

it('refuses at once a file that cannot be written', async () => {
  const file = join(temporaryFolder(), 'missing', 'reads.jsonl')
  await expect(openLineLog(file, () => {})).rejects.toMatchObject({ code: 'log-unwritable', file })
})
