import { spawn } from 'node:child_process'
import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { describe, expect, it } from 'vitest'
import { createDecisionLog } from '../log.ts'
import { buildProgram } from '../testing/program.ts'
import { collect } from '../testing/store-contract.ts'
import { fileStore } from './file-store.ts'
import { openSigner } from './signing-key.ts'

const kills = 200
const atOnce = 4

/** Runs the writer and kills it some milliseconds after its first acknowledgement; gives what it acknowledged. */
function runAndKill(program: string, args: readonly string[], after: number): Promise<string[]> {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let errors = ''
    child.stdout.on('data', (data: Buffer) => {
      if (output === '') setTimeout(() => child.kill('SIGKILL'), after)
      output += data.toString('utf8')
    })
    child.stderr.on('data', (data: Buffer) => {
      errors += data.toString('utf8')
    })
    child.on('close', (_code, signal) => {
      if (signal === 'SIGKILL') done(output.split('\n').slice(0, -1))
      else failed(new Error(`The writer ended by itself: ${errors}`))
    })
  })
}

describe('a writer that is killed', () => {
  it('loses no acknowledged record and leaves a log that verifies, 200 times over', {
    timeout: 900_000,
  }, async () => {
    const folder = temporaryFolder()
    const program = await buildProgram('crash-writer', folder)
    const key = join(folder, 'key.pem')
    const signer = await openSigner(key, { name: 'crash.example' })
    const directory = join(folder, 'log')
    const acknowledged: string[] = []
    for (let round = 0; round < kills; round += atOnce) {
      const runs = Array.from({ length: atOnce }, (_, each) => {
        const number = round + each
        const sync = number % 2 === 0 ? 'always' : 'later'
        return runAndKill(program, [directory, key, `run${number}`, sync], (number * 7) % 40)
      })
      for (const calls of await Promise.all(runs)) acknowledged.push(...calls)
    }

    const log = createDecisionLog({ store: fileStore(directory), signer })
    const { ok, trees, findings } = await log.verify(undefined, { limit: 100_000 })
    expect(trees).toHaveLength(kills)
    expect(ok).toBe(true)
    // The only thing a crash may leave is a line that was not written to its end, and it is named with its place.
    for (const { kind, tree, segment, offset } of findings) {
      if (kind === 'unsealed') continue
      expect(kind).toBe('torn')
      const bytes = readFileSync(join(directory, segment ?? ''))
      expect(bytes.subarray(0, offset).toString('utf8').endsWith('\n')).toBe(true)
      expect(tree).toBe(segment?.split('.')[0])
    }
    const records = new Set(
      (await collect(log, { type: 'decision' })).map((record) => ('call' in record ? record.call : '')),
    )
    expect(acknowledged.length).toBeGreaterThan(kills)
    expect(acknowledged.filter((call) => !records.has(call))).toEqual([])
    // Each checkpoint that was written holds: none got ahead of the records.
    expect(trees.reduce((sum, { checkpoints }) => sum + checkpoints, 0)).toBeGreaterThan(0)

    // The same check fails where one acknowledged record is taken out.
    const [segment = ''] = readdirSync(directory).filter((file) => file.endsWith('.jsonl'))
    appendFileSync(join(directory, segment), '{"index":0}\n')
    expect((await log.verify()).ok).toBe(false)
  })
})
