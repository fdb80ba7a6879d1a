import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { followControlFile } from './control-file.ts'

const follow = async (file: string) => {
  const lines: string[] = []
  const control = await followControlFile(file, (line) => lines.push(line), 10)
  onTestFinished(() => control.close())
  const changes = vi.fn()
  control.onChange(changes)
  return { control, lines, changes }
}

describe('a control file', () => {
  it('is read at the start, so that what it says outlives a restart', async () => {
    const file = join(temporaryFolder(), 'control.json')
    writeFileSync(file, '{"description":"now"}')
    const { control, changes } = await follow(file)
    expect(control.current()).toEqual({ description: 'now' })
    expect(changes).not.toHaveBeenCalled()
  })

  it('is followed when it comes, changes and goes', async () => {
    const file = join(temporaryFolder(), 'control.json')
    const { control, changes } = await follow(file)
    expect(control.current()).toEqual({})
    writeFileSync(file, '{"description":"first"}')
    await vi.waitFor(() => expect(control.current()).toEqual({ description: 'first' }), 10_000)
    writeFileSync(file, '{"description":"second one"}')
    await vi.waitFor(() => expect(control.current()).toEqual({ description: 'second one' }), 10_000)
    rmSync(file)
    await vi.waitFor(() => expect(control.current()).toEqual({}), 10_000)
    expect(changes).toHaveBeenCalledTimes(3)
  })

  it.each(['{"description":', '[1]', 'null'])(
    'keeps the last good object while it holds %j',
    async (text) => {
      const file = join(temporaryFolder(), 'control.json')
      writeFileSync(file, '{"description":"good"}')
      const { control, lines, changes } = await follow(file)
      writeFileSync(file, text)
      await vi.waitFor(() => expect(lines).toHaveLength(1), 10_000)
      expect(lines[0]).toContain(file)
      expect(control.current()).toEqual({ description: 'good' })
      expect(changes).not.toHaveBeenCalled()
    },
  )

  it('tells nobody when the same object is written again in another spelling', async () => {
    const file = join(temporaryFolder(), 'control.json')
    writeFileSync(file, '{"a":1}')
    const { changes, control } = await follow(file)
    writeFileSync(file, '{ "a" : 1.0 }\n')
    await new Promise((resolve) => setTimeout(resolve, 60))
    writeFileSync(file, '{"a":22}')
    await vi.waitFor(() => expect(control.current()).toEqual({ a: 22 }), 10_000)
    expect(changes).toHaveBeenCalledTimes(1)
  })
})
