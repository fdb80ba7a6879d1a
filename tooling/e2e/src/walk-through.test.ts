import { join } from 'node:path'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { expect, it } from 'vitest'
// A plain module, since `npm run demo` runs it without a build of its own.
import { walkThrough } from '../walk-through/walk-through.mjs'

interface Check {
  readonly what: string
  readonly ok: boolean
  readonly seen?: unknown
}

it('walks through the story of the three names, on real servers', { timeout: 120_000 }, async () => {
  const checks = (await walkThrough({ folder: join(temporaryFolder(), 'demo'), say: () => {} })) as Check[]
  expect(checks.filter(({ ok }) => !ok)).toEqual([])
  expect(checks.length).toBeGreaterThanOrEqual(25)
})
