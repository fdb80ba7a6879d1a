import { copyFileSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openApprovals } from './open-approvals.ts'
import { openWorkspace } from './workspace.ts'

/** A project whose configuration may say more, with the approvals as they are opened for it. */
async function project(folder: string, approvals?: string) {
  const config = join(folder, 'truename.json')
  mkdirSync(join(folder, '.truename'), { recursive: true })
  writeFileSync(config, JSON.stringify({ mcpServers: {}, truename: { approvals } }))
  const file = join(folder, '.truename', 'approvals.json')
  return { folder, config, file, grants: () => grantsOf(config) }
}

const open = async (config: string) => openApprovals(await openWorkspace(config, ''))

const grantsOf = async (config: string): Promise<number | string> => {
  const approvals = await open(config)
  return approvals.grants().then(
    ({ length }) => length,
    ({ code }) => code,
  )
}

async function allow(config: string): Promise<void> {
  const approvals = await open(config)
  const { id } = await approvals.ask({
    binding: { key: { server: 's', kind: 'tool', name: 'pay' }, args: 'a', profile: 'default' },
    args: {},
    pin: { state: 'approved', digest: 'd' },
    rule: 'default:tool',
    reason: 'no rule matches',
  })
  await approvals.answer(id, { verdict: 'allow', scope: 'always', channel: 'terminal', who: 'ada' })
}

it.skipIf(process.platform === 'win32')(
  'an answer holds where it was given, and in no copy and behind no link',
  async () => {
    const root = realpathSync(temporaryFolder())
    onTestFinished(() => void vi.unstubAllEnvs())
    vi.stubEnv('XDG_CONFIG_HOME', join(root, 'config'))
    const theirs = await project(join(root, 'theirs'))
    const mine = await project(join(root, 'mine'))
    await allow(theirs.config)
    expect([await theirs.grants(), await mine.grants()]).toEqual([1, 0])

    copyFileSync(theirs.file, mine.file)
    expect(await mine.grants()).toBe('invalid-approval-file')
    rmSync(mine.file)
    symlinkSync(theirs.file, mine.file)
    expect(await mine.grants()).toBe('invalid-approval-file')
    rmSync(join(mine.folder, '.truename'), { recursive: true })
    symlinkSync(join(theirs.folder, '.truename'), join(mine.folder, '.truename'))
    expect(await mine.grants()).toBe('invalid-approval-file')

    // The same project by another name, another configuration of it, and one that names the file are no other place.
    symlinkSync(theirs.folder, join(root, 'link'))
    expect(await grantsOf(join(root, 'link', 'truename.json'))).toBe(1)
    copyFileSync(theirs.config, join(theirs.folder, 'second.json'))
    expect(await grantsOf(join(theirs.folder, 'second.json'))).toBe(1)
    expect(await (await project(join(root, 'third'), theirs.file)).grants()).toBe(1)

    vi.stubEnv('XDG_CONFIG_HOME', join(root, 'somebody-else'))
    expect(await theirs.grants()).toBe('invalid-approval-file')
  },
)
