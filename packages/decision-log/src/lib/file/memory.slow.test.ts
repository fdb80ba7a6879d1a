import { join } from 'node:path'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { describe, expect, it } from 'vitest'
import { buildProgram, runProgram } from '../testing/program.ts'

describe('verifying a log', () => {
  it('takes no more memory for ten times the records', async () => {
    const folder = temporaryFolder()
    const program = await buildProgram('verify-program', folder)
    const measured = [20_000, 200_000].map((count) => {
      const log = join(folder, `log-${count}`)
      runProgram(program, ['write', log, String(count)])
      // A heap that could not hold the larger log ten times over.
      const told = JSON.parse(runProgram(program, ['verify', log], ['--max-old-space-size=24']))
      expect(told).toMatchObject({ ok: true, records: count + 1 })
      return told.kilobytes as number
    })
    expect((measured[1] as number) / (measured[0] as number)).toBeLessThan(1.5)
  })
})
