// Writes records until it is killed, and tells on stdout which ones were acknowledged.
import { writeSync } from 'node:fs'
import { fileStore } from '../file/file-store.ts'
import { openSigner } from '../file/signing-key.ts'
import { createDecisionLog } from '../log.ts'
import { decision } from './entries.ts'

const [folder = '', key = '', prefix = '', sync = 'never'] = process.argv.slice(2)
const log = createDecisionLog({
  store: fileStore(folder, {
    sync: sync === 'always' ? 'always' : { everyMs: 5 },
    rotate: { bytes: 60_000 },
  }),
  signer: await openSigner(key, { name: 'crash.example' }),
  checkpoints: { records: 7, ms: 3 },
  keep: { arguments: 'clear' },
})
for (let at = 0; ; at += 1) {
  // Some alone, some together, some large: so that the end comes in different places.
  const calls = Array.from({ length: 1 + (at % 5) }, (_, each) => `${prefix}-${at}-${each}`)
  const size = at % 11 === 0 ? 40_000 : 50
  await Promise.all(
    calls.map(async (call) => {
      await log.append(decision(call, { arguments: { text: 'x'.repeat(size) } }))
      writeSync(1, `${call}\n`)
    }),
  )
}
