import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { describe, expect, it } from 'vitest'
import { programs, shop, truename, writeConfig } from './programs.ts'

const lines = (text: string): readonly string[] => text.trim().split('\n')

describe('bad input gets one clear line', () => {
  it('when there is no configuration', async () => {
    const folder = temporaryFolder()
    const { code, stderr } = await truename(folder, 'serve', '--config', 'nowhere.json')
    expect(code).toBe(2)
    expect(lines(stderr)).toHaveLength(1)
    expect(stderr).toContain(join(folder, 'nowhere.json'))
  })

  it('when the configuration does not parse, with line and column', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'truename.json'), '{\n  "mcpServers": {\n    "a": { "command": "node" \n')
    const { code, stderr } = await truename(folder, 'lock', '--yes')
    expect(code).toBe(2)
    expect(lines(stderr)).toHaveLength(1)
    expect(stderr).toMatch(/truename\.json:\d+:\d+: /)
  })

  it('when members are not known, without failing', async () => {
    const folder = temporaryFolder()
    writeConfig(folder, { 'shop-a': { ...shop('shop-a'), colour: 'red' } }, { lokc: 'x.json' })
    const { code, stderr } = await truename(folder, 'lock', '--yes')
    expect(code).toBe(0)
    expect(stderr).toMatch(/"?colour"?/)
    expect(stderr).toContain('truename.lokc is not known (did you mean "lock"?)')
  })

  it('when there is no lock: it names the command that makes one', async () => {
    const folder = temporaryFolder()
    writeConfig(folder, { 'shop-a': shop('shop-a') })
    const { code, stderr } = await truename(folder, 'serve')
    expect(code).toBe(2)
    expect(lines(stderr)).toHaveLength(1)
    expect(stderr).toMatch(/truename\.lock\.json: .*truename lock/)
  })

  it('when a file that was named cannot be read as what it should be', async () => {
    const folder = temporaryFolder()
    writeConfig(folder, { 'shop-a': shop('shop-a') }, { log: 'truename.json' })
    for (const [args, says] of [
      [['log', 'query'], 'truename.json: is a file where the folder of the decision log should be'],
      [['log', 'verify', '--against', 'nowhere'], 'nowhere: there is no such file'],
      [['log', 'query', '--since', 'garbage'], "'--since <time>'"],
    ] as const) {
      const { code, stderr } = await truename(folder, ...args)
      expect(code).not.toBe(0)
      expect(lines(stderr)[0]).toContain(says)
    }
  })

  it('when a server does not start: the lock is left as it was', async () => {
    const folder = temporaryFolder()
    writeConfig(folder, { 'shop-a': shop('shop-a') })
    expect((await truename(folder, 'lock', '--yes')).code).toBe(0)
    const before = readFileSync(join(folder, 'truename.lock.json'), 'utf8')
    const broken = { command: 'node', args: ['-e', 'console.error("no licence key"); process.exit(3)'] }
    const file = writeConfig(folder, {
      'shop-a': shop('shop-a'),
      broken,
      missing: { command: 'no-such-program-here' },
    })
    const { code, stderr } = await truename(folder, 'lock', '--yes')
    expect(code).toBe(2)
    const last = lines(stderr).at(-1) ?? ''
    expect(last).toContain(`${file}, server "broken"`)
    expect(last).toContain('no licence key')
    expect(last).toContain('missing')
    expect(readFileSync(join(folder, 'truename.lock.json'), 'utf8')).toBe(before)
  })

  it('when a configuration would start Truename itself', async () => {
    const folder = temporaryFolder()
    writeConfig(folder, { again: { command: 'node', args: [programs.truename, 'serve'] } })
    const { code, stderr } = await truename(folder, 'lock', '--yes')
    expect(code).toBe(2)
    expect(stderr).toContain('"again" would start Truename again')
    expect(existsSync(join(folder, 'truename.lock.json'))).toBe(false)
  })

  it('when there is no terminal to ask at', async () => {
    const folder = temporaryFolder()
    writeConfig(folder, { 'shop-a': shop('shop-a') })
    const { code, stderr } = await truename(folder, 'lock')
    expect(code).toBe(2)
    expect(stderr).toContain('--yes')
    expect(existsSync(join(folder, 'truename.lock.json'))).toBe(false)
  })
})
