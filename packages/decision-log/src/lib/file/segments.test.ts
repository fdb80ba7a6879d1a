import { generateKeyPairSync } from 'node:crypto'
import {
  appendFileSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { describe, expect, it } from 'vitest'
import { createDecisionLog } from '../log.ts'
import { decision, steppingClock } from '../testing/entries.ts'
import { collect } from '../testing/store-contract.ts'
import { fileStore } from './file-store.ts'
import { ed25519Signer } from './signing-key.ts'

const signer = ed25519Signer({ name: 'log.example', privateKey: generateKeyPairSync('ed25519').privateKey })

async function write(
  folder: string,
  records: number,
  options: Parameters<typeof fileStore>[1] = {},
  signed = false,
) {
  const log = createDecisionLog({
    store: fileStore(folder, options),
    clock: options.clock ?? steppingClock(),
    ...(signed ? { signer } : {}),
  })
  for (let at = 0; at < records; at += 1) await log.append(decision(`call-${at}`))
  await log.close()
  return readdirSync(folder).filter((file) => file.endsWith('.jsonl'))
}

const open = (folder: string) => createDecisionLog({ store: fileStore(folder) })
const openSigned = (folder: string) => createDecisionLog({ store: fileStore(folder), signer })

describe('segments', () => {
  it('are begun when one is full, and the tree runs on over all of them', async () => {
    const folder = temporaryFolder()
    const files = await write(folder, 40, { rotate: { bytes: 4000 } }, true)
    expect(files.length).toBeGreaterThan(4)
    for (const file of files) expect(statSync(join(folder, file)).size).toBeLessThanOrEqual(4000)
    expect(new Set(files.map((file) => file.split('.')[0])).size).toBe(1)
    expect(await openSigned(folder).verify()).toMatchObject({
      ok: true,
      trees: [{ records: 41, sealed: 41 }],
      findings: [],
    })
  })

  it('are begun with each new day', async () => {
    const folder = temporaryFolder()
    let now = Date.parse('2026-11-29T23:59:59Z')
    const clock = () => {
      now += 250
      return now
    }
    const files = await write(folder, 12, { clock })
    expect(files).toHaveLength(2)
    const days = files.map((file) =>
      readFileSync(join(folder, file), 'utf8')
        .match(/"time":"[^"T]+/g)
        ?.at(-1),
    )
    expect(days).toEqual(['"time":"2026-11-29', '"time":"2026-11-30'])
  })

  it('give up nothing but a torn last line, wherever it was cut', async () => {
    const folder = temporaryFolder()
    const [file = ''] = await write(folder, 4)
    const path = join(folder, file)
    const whole = readFileSync(path)
    const lines = whole.toString('utf8').split('\n').slice(0, -1)
    for (let length = whole.length; length > 0; length -= 29) {
      truncateSync(path, length)
      const kept = whole.subarray(0, length).toString('utf8').split('\n').length - 1
      const offset = Buffer.byteLength(
        lines
          .slice(0, kept)
          .map((line) => `${line}\n`)
          .join(''),
      )
      const { ok, records, findings } = await open(folder).verify()
      expect(ok).toBe(true)
      expect(records).toBe(kept)
      expect(findings.map(({ kind, offset: at, index }) => [kind, at, index])).toEqual(
        offset === length ? [] : [['torn', offset, kept]],
      )
      expect(await collect(open(folder), { type: 'decision' })).toHaveLength(Math.max(0, kept - 1))
    }
  })

  it('are named with the line in which something was changed', async () => {
    const folder = temporaryFolder()
    const files = await write(folder, 40, { rotate: { bytes: 4000 } })
    const path = join(folder, files[2] as string)
    const text = readFileSync(path, 'utf8')
    const line = text.split('\n')[1] as string
    writeFileSync(path, text.replace(line, line.replace('"allow"', '"deny"')))
    const { findings } = await open(folder).verify()
    expect(findings).toMatchObject([
      { kind: 'changed', segment: files[2], line: 2, index: JSON.parse(line).index },
    ])
  })

  it('are noted where the newline at their end is gone, though others follow', async () => {
    const folder = temporaryFolder()
    const files = await write(folder, 40, { rotate: { bytes: 4000 } })
    for (const file of files.slice(0, -1)) {
      const path = join(folder, file)
      const whole = readFileSync(path)
      const line = whole.toString('utf8').split('\n').length - 1
      truncateSync(path, whole.length - 1)
      const { ok, records, findings } = await open(folder).verify()
      expect([ok, records]).toEqual([true, 41])
      expect(findings).toMatchObject([{ kind: 'unended', severity: 'note', segment: file, line }])
      // What is cut off beyond it is a line that does not add up.
      truncateSync(path, whole.length - 2)
      const cut = await open(folder).verify()
      expect(cut.ok).toBe(false)
      expect(cut.findings.map(({ kind }) => kind)).toContain('unended')
      writeFileSync(path, whole)
    }
  })

  it('that are gone, swapped or mixed up are found', async () => {
    const folder = temporaryFolder()
    const files = await write(folder, 40, { rotate: { bytes: 4000 } })
    const [, second = '', third = ''] = files.map((file) => join(folder, file))
    const [a, b] = [readFileSync(second), readFileSync(third)]
    const firstOf = (bytes: Buffer) => JSON.parse(bytes.toString('utf8').split('\n')[0] ?? '').index as number
    writeFileSync(second, b)
    writeFileSync(third, a)
    const swapped = await open(folder).verify()
    expect(swapped.findings.filter(({ severity }) => severity === 'error')).toMatchObject(
      Array.from({ length: firstOf(b) - firstOf(a) }, (_, at) => ({
        kind: 'reordered',
        index: firstOf(a) + at,
      })),
    )
    unlinkSync(third)
    writeFileSync(second, a)
    const gone = await open(folder).verify()
    expect(gone.findings.filter(({ severity }) => severity === 'error')).toMatchObject([
      { kind: 'removed', index: firstOf(b) },
    ])
  })

  it('leave other files in the folder alone, and lines that are no lines are named', async () => {
    const folder = temporaryFolder()
    const [file = ''] = await write(folder, 3)
    writeFileSync(join(folder, 'README.txt'), 'hello')
    writeFileSync(join(folder, '..hidden.jsonl'), '{}\n')
    writeFileSync(join(folder, 'notes.000001.jsonl'), '{}\n')
    expect((await open(folder).verify()).ok).toBe(true)
    appendFileSync(join(folder, file), 'not a line\n\n')
    expect((await open(folder).verify()).findings).toMatchObject([
      { kind: 'malformed', segment: file, line: 5 },
      { kind: 'malformed', segment: file, line: 6 },
    ])
    expect(await collect(open(folder), { type: 'decision' })).toHaveLength(3)
  })

  it('can be read by their owner alone', async () => {
    const folder = join(temporaryFolder(), 'made', 'for', 'it')
    const [file = ''] = await write(folder, 1)
    if (process.platform === 'win32') return
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  it('survive a line that is longer than any record, in bounded memory', async () => {
    const folder = temporaryFolder()
    const [file = ''] = await write(folder, 2)
    const path = join(folder, file)
    for (let at = 0; at < 40; at += 1) appendFileSync(path, 'x'.repeat(1024 * 1024))
    appendFileSync(path, '\n')
    const { findings } = await open(folder).verify()
    expect(findings).toMatchObject([{ kind: 'malformed', line: 4 }])
  })
})

describe('checkpoints in a folder of their own', () => {
  it('show that the log was cut after they were written', async () => {
    const folder = temporaryFolder()
    const checkpointDirectory = temporaryFolder()
    const [file = ''] = await write(folder, 10, { checkpointDirectory }, true)
    const path = join(folder, file)
    const lines = readFileSync(path, 'utf8').split('\n')
    writeFileSync(path, `${lines.slice(0, 6).join('\n')}\n`)
    expect((await open(folder).verify()).ok).toBe(true)
    const [kept = ''] = readdirSync(checkpointDirectory)
    const against = readFileSync(join(checkpointDirectory, kept), 'utf8')
    const { findings } = await openSigned(folder).verify(against)
    expect(findings).toMatchObject([{ kind: 'cut', index: 6, end: 11 }, { kind: 'unsealed' }])
    const log = createDecisionLog({ store: fileStore(folder, { checkpointDirectory }), signer })
    expect((await log.verify()).findings).toMatchObject([
      { kind: 'cut', index: 6, end: 11 },
      { kind: 'unsealed' },
    ])
  })

  it('show that a whole tree is gone', async () => {
    const folder = temporaryFolder()
    const [file = ''] = await write(folder, 3, {}, true)
    unlinkSync(join(folder, file))
    expect((await openSigned(folder).verify()).findings).toMatchObject([{ kind: 'cut', index: 0, end: 4 }])
    expect(await collect(open(folder))).toEqual([])
  })
})
