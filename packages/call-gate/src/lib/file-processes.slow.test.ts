import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { build } from 'tsup'
import { describe, expect, it } from 'vitest'
import { fileApprovals } from '../file.ts'
import type { Question } from './approvals.ts'

const question = (args: string): Question => ({
  binding: { key: { server: 'kb', kind: 'tool', name: 'search' }, pin: 'd1', args, profile: 'default' },
  args: {},
  pin: { state: 'approved', digest: 'd1' },
  rule: 'default:tool',
  reason: 'no rule matches',
})

async function buildWorker(folder: string): Promise<string> {
  await build({
    entry: [join(import.meta.dirname, 'testing', 'approval-worker.ts')],
    outDir: folder,
    config: false,
    silent: true,
    format: 'esm',
    target: 'node20',
    platform: 'node',
    noExternal: [/.*/],
    dts: false,
    esbuildOptions: (options) => {
      options.conditions = ['@truename/source']
    },
  })
  return join(folder, readdirSync(folder)[0] as string)
}

/** The lines the worker wrote, until it ended or was killed some milliseconds after its first. */
function run(program: string, args: readonly string[], killAfter?: number): Promise<string[]> {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    let [output, errors] = ['', '']
    child.stdout.on('data', (data: Buffer) => {
      if (output === '' && killAfter !== undefined) setTimeout(() => child.kill('SIGKILL'), killAfter)
      output += data.toString()
    })
    child.stderr.on('data', (data: Buffer) => {
      errors += data.toString()
    })
    child.on('close', (code) => {
      if (code === 0 || killAfter !== undefined) done(output.split('\n').slice(0, -1))
      else failed(new Error(errors))
    })
  })
}

describe('a file of approvals that several processes share', () => {
  it('has one answer to each question and gives each approval once', async () => {
    const folder = temporaryFolder()
    const program = await buildWorker(join(folder, 'program'))
    const file = join(folder, 'approvals.json')
    const approvals = fileApprovals(file)
    const asked = await Promise.all(Array.from({ length: 20 }, (_, at) => approvals.ask(question(`a${at}`))))
    const said = await Promise.all(Array.from({ length: 4 }, (_, at) => run(program, [file, `p${at}`])))
    const lines = said.flat()
    const answered = lines.filter((line) => line.startsWith('answered ')).sort()
    expect(answered).toEqual(asked.map(({ id }) => `answered ${id}`).sort())
    const taken = lines.filter((line) => line.startsWith('took '))
    expect(new Set(taken).size).toBe(taken.length)
    const left = (await approvals.grants()).map((grant) => `took ${grant.binding.args}`)
    expect([...taken, ...left].sort()).toEqual(asked.map(({ binding }) => `took ${binding.args}`).sort())
  })

  it('loses nothing that was acknowledged when processes are killed in the middle of a change', async () => {
    const folder = temporaryFolder()
    const program = await buildWorker(join(folder, 'program'))
    const file = join(folder, 'approvals.json')
    const approvals = fileApprovals(file)
    const acknowledged: string[] = []
    for (let round = 0; round < 20; round += 1) {
      const runs = [0, 1].map((each) =>
        run(program, [file, `r${round}-${each}`, 'forever'], (round * 13 + each * 7) % 60),
      )
      for (const lines of await Promise.all(runs)) {
        acknowledged.push(...lines.filter((line) => line.startsWith('asked ')).map((line) => line.slice(6)))
      }
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(20)
    for (const id of acknowledged) expect(await approvals.get(id), id).toMatchObject({ id })
    await approvals.ask(question('after all'))
  })
})
