import { spawn, spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { describe, expect, it } from 'vitest'
import { fileApprovals } from '../file.ts'
import type { Question } from './approvals.ts'
import { withFileLock } from './file-lock.ts'
import { describeApprovals } from './testing/approvals-contract.ts'

const sealBy = (secret: string) => async (content: string) =>
  createHmac('sha256', secret).update(content).digest('base64url')

describeApprovals('a file', async () => {
  const file = join(temporaryFolder(), 'deep', 'approvals.json')
  return { open: async (options) => fileApprovals(file, { ...options, pollEvery: 20 }) }
})

describeApprovals('a sealed file', async () => {
  const file = join(temporaryFolder(), 'approvals.json')
  const seal = sealBy('ours')
  return { open: async (options) => fileApprovals(file, { ...options, seal, pollEvery: 20 }) }
})

const question = (args: string): Question => ({
  binding: { key: { server: 'kb', kind: 'tool', name: 'search' }, pin: 'd1', args, profile: 'default' },
  args: {},
  pin: { state: 'approved', digest: 'd1' },
  rule: 'default:tool',
  reason: 'no rule matches',
})

describe('the file of approvals', () => {
  it('can be read by its owner alone, and leaves nothing beside it', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'approvals.json')
    await fileApprovals(file).ask(question('a1'))
    expect(readdirSync(folder)).toEqual(['approvals.json'])
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('keeps members it does not know', async () => {
    const file = join(temporaryFolder(), 'approvals.json')
    const approvals = fileApprovals(file)
    const { id } = await approvals.ask(question('a1'))
    const state = JSON.parse(readFileSync(file, 'utf8'))
    state.later = { version: 2 }
    state.requests[0].colour = 'green'
    writeFileSync(file, JSON.stringify(state))
    await approvals.answer(id, { verdict: 'allow', scope: 'pair', channel: 'console', who: 'ada' })
    const after = JSON.parse(readFileSync(file, 'utf8'))
    expect(after.later).toEqual({ version: 2 })
    expect(after.requests[0].colour).toBe('green')
  })

  it.each([
    ['cut off', '{"version":1,"requests":['],
    ['of another version', '{"version":2,"requests":[],"grants":[]}'],
    ['something else', '[]'],
    ['with a grant that is none', '{"version":1,"requests":[],"grants":[{"id":"x"}]}'],
  ])('refuses a file that is %s, and leaves it as it is', async (_, text) => {
    const file = join(temporaryFolder(), 'approvals.json')
    writeFileSync(file, text)
    const approvals = fileApprovals(file)
    await expect(approvals.ask(question('a1'))).rejects.toMatchObject({ code: 'invalid-approval-file', file })
    await expect(approvals.grants()).rejects.toMatchObject({ code: 'invalid-approval-file' })
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  it('is refused where a seal is asked for and it bears none, or that of something else', async () => {
    const file = join(temporaryFolder(), 'approvals.json')
    const ours = fileApprovals(file, { seal: sealBy('ours') })
    const odd = { ['__proto__']: 1, 7: { 3: -0 }, nothing: undefined, lone: '\ud800' }
    const { id } = await ours.ask({ ...question('a1'), args: odd })
    await ours.answer(id, { verdict: 'allow', scope: 'always', channel: 'terminal', who: 'ada' })
    expect(await ours.grants()).toHaveLength(1)
    const sealed = readFileSync(file, 'utf8')
    const { seal, ...content } = JSON.parse(sealed)
    const changed = { ...content, grants: [...content.grants, { ...content.grants[0], id: 'g2' }] }
    for (const other of [content, { ...content, seal: 1 }, { ...changed, seal }, { ...changed }]) {
      const text = JSON.stringify(other)
      writeFileSync(file, text)
      await expect(ours.grants()).rejects.toMatchObject({ code: 'invalid-approval-file', file })
      await expect(ours.ask(question('a2'))).rejects.toMatchObject({ code: 'invalid-approval-file' })
      expect(readFileSync(file, 'utf8')).toBe(text)
    }
    // Spaces mean nothing.
    writeFileSync(file, JSON.stringify({ ...content, seal }))
    expect(await ours.grants()).toHaveLength(1)
    await expect(fileApprovals(file, { seal: sealBy('theirs') }).grants()).rejects.toMatchObject({
      code: 'invalid-approval-file',
    })
    // Whoever asks for no seal changes the file, which then bears none.
    await fileApprovals(file).ask(question('a3'))
    expect(JSON.parse(readFileSync(file, 'utf8'))).not.toHaveProperty('seal')
    await expect(ours.grants()).rejects.toMatchObject({ code: 'invalid-approval-file' })
  })

  it.skipIf(process.platform === 'win32')('is not waited for where it is a pipe', async () => {
    const file = join(temporaryFolder(), 'approvals.json')
    expect(spawnSync('mkfifo', [file]).status).toBe(0)
    await expect(fileApprovals(file).grants()).rejects.toMatchObject({ code: 'invalid-approval-file' })
  })

  it('breaks the lock of a process that is gone', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'approvals.json')
    const child = spawn(process.execPath, ['-e', ''])
    await once(child, 'exit')
    writeFileSync(`${file}.lock`, JSON.stringify({ pid: child.pid, host: hostname(), token: 'theirs' }))
    await fileApprovals(file).ask(question('a1'))
    expect(readdirSync(folder)).toEqual(['approvals.json'])
  })

  it('breaks a lock that names nobody, left by a process that died while making it', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'approvals.json')
    writeFileSync(`${file}.lock`, '')
    const long = new Date(Date.now() - 5000)
    utimesSync(`${file}.lock`, long, long)
    writeFileSync(`${file}.tmp`, 'cut o')
    await fileApprovals(file).ask(question('a1'))
    expect(readdirSync(folder)).toEqual(['approvals.json'])
  })

  it('waits for a lock that is held, and says so when that takes too long', async () => {
    const lock = join(temporaryFolder(), 'approvals.json.lock')
    const order: string[] = []
    const holding = withFileLock(lock, async () => {
      await expect(withFileLock(lock, async () => {}, 50)).rejects.toMatchObject({
        code: 'file-locked',
        file: lock,
      })
      order.push('first')
    })
    await expect.poll(() => existsSync(lock)).toBe(true)
    await withFileLock(lock, async () => void order.push('second'))
    await holding
    expect(order).toEqual(['first', 'second'])
  })

  it('loses no change when many make changes at once', async () => {
    const file = join(temporaryFolder(), 'approvals.json')
    const views = [fileApprovals(file), fileApprovals(file), fileApprovals(file)]
    const asked = Array.from({ length: 30 }, (_, at) => views[at % 3]?.ask(question(`a${at}`)))
    await Promise.all(asked)
    expect(await views[0]?.pending()).toHaveLength(30)
  })
})
