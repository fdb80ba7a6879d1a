import { appendFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { expect, it, onTestFinished, vi } from 'vitest'
import { followFiles } from './follow-files.ts'

it('files that changed are told of, once they stand still, one call at a time', async () => {
  const folder = temporaryFolder()
  const [one, two] = [join(folder, 'one'), join(folder, 'two')]
  writeFileSync(one, '')
  const failures: string[] = []
  let files = [one]
  let calls = 0
  let running = 0
  const following = followFiles(
    () => files,
    async () => {
      running += 1
      expect(running).toBe(1)
      await new Promise((resolve) => setTimeout(resolve, 20))
      running -= 1
      calls += 1
      throw new Error(`call ${calls}`)
    },
    (error) => failures.push((error as Error).message),
    10,
  )
  onTestFinished(() => following.close())
  for (const [change, expected] of [
    [() => appendFileSync(one, 'x'), 1],
    [
      () => {
        files = [one, two]
      },
      2,
    ],
    [() => writeFileSync(two, ''), 3],
    [() => rmSync(two), 4],
    // A link to itself cannot even be looked at.
    [() => symlinkSync('two', two), 5],
    [() => rmSync(two), 6],
  ] as const) {
    change()
    await vi.waitFor(() => expect(calls).toBe(expected), 10_000)
  }
  const writing = setInterval(() => appendFileSync(one, 'x'), 1)
  await new Promise((resolve) => setTimeout(resolve, 100))
  clearInterval(writing)
  await vi.waitFor(() => expect(calls).toBeGreaterThanOrEqual(7), 10_000)
  // What fails does not end the following.
  expect(failures).toEqual(Array.from({ length: calls }, (_, at) => `call ${at + 1}`))
  following.close()
  const told = calls
  appendFileSync(one, 'x')
  await new Promise((resolve) => setTimeout(resolve, 60))
  expect(calls).toBe(told)
})
