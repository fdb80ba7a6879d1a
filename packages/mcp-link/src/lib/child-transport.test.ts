import { join } from 'node:path'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { expect, it } from 'vitest'
import { startChildTransport } from './child-transport.ts'

const start = (command: string, cwd: string | undefined) =>
  startChildTransport({ command, args: [], env: {}, cwd, graceMs: 100 })

it('a program that cannot start for its folder does so in the name of the folder', async () => {
  const missing = join(temporaryFolder(), 'missing')
  await expect(start(process.execPath, missing)).rejects.toThrow(`its folder ${JSON.stringify(missing)}`)
  await expect(start(process.execPath, import.meta.filename)).rejects.toThrow('is none')
  await expect(start('/no/such/program', temporaryFolder())).rejects.toThrow('/no/such/program')
  await expect(start('/no/such/program', undefined)).rejects.toThrow('/no/such/program')
})
