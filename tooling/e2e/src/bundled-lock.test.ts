import { join } from 'node:path'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { expect, it } from 'vitest'
import { root, truename } from './programs.ts'

it('the committed lock is what the bundled servers say', { timeout: 60_000 }, async () => {
  const config = join(root, 'examples', 'bundled', 'truename.json')
  const { code, stdout, stderr } = await truename(temporaryFolder(), 'verify', '--live', '--config', config)
  expect(code, stdout + stderr).toBe(0)
})
