import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { storeContract } from '../testing/store-contract.ts'
import { fileStore } from './file-store.ts'

storeContract('file', async () => {
  const folder = temporaryFolder()
  return { store: fileStore(folder), again: () => fileStore(folder) }
})

storeContract('file, small segments, synced records', async () => {
  const folder = temporaryFolder()
  const open = () => fileStore(folder, { sync: 'always', rotate: { bytes: 2000 } })
  return { store: open(), again: open }
})
