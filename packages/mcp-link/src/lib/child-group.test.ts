import { expect, it } from 'vitest'
import { startChild } from './child-group.ts'

const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length

it('leaves no timer behind when a child ends within its grace', async () => {
  const program = "process.stdin.resume().on('end', () => process.exit(0))"
  const child = await startChild({
    command: process.execPath,
    args: ['-e', program],
    env: {},
    cwd: import.meta.dirname,
  })
  const before = timers()
  await child.end(60_000)
  expect(timers()).toBeLessThanOrEqual(before)
})
