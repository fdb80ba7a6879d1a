import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { expect, it, onTestFinished, vi } from 'vitest'
import { followFiles } from './follow-files.ts'

it('files that changed are told of, once they stand still, one call at a time', async () => {
  const folder = temporaryFolder()
  const [one, two] = [join(folder, 'one'), join(folder, 'two')]
  writeFileSync(one, '')
  let calls = 0
  let running = 0
  const following = followFiles(
    [one, two],
    async () => {
      running += 1
      expect(running).toBe(1)
      await new Promise((resolve) => setTimeout(resolve, 20))
      running -= 1
      calls += 1
    },
    10,
  )
  onTestFinished(() => following.close())
  for (const [change, expected] of [
    [() => appendFileSync(one, 'x'), 1],
    [() => writeFileSync(two, ''), 2],
    [() => rmSync(two), 3],
  ] as const) {
    change()
    await vi.waitFor(() => expect(calls).toBe(expected), 10_000)
  }
  const writing = setInterval(() => appendFileSync(one, 'x'), 1)
  await new Promise((resolve) => setTimeout(resolve, 100))
  clearInterval(writing)
  await vi.waitFor(() => expect(calls).toBeGreaterThanOrEqual(4), 10_000)
  following.close()
  const told = calls
  appendFileSync(one, 'x')
  await new Promise((resolve) => setTimeout(resolve, 60))
  expect(calls).toBe(told)
})
