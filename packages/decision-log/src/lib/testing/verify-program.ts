// Writes a log of so many records into a folder, or verifies one and tells how much memory that took.

import { fileStore } from '../file/file-store.ts'
import { createDecisionLog } from '../log.ts'
import { decision } from './entries.ts'

const [command, folder = '', count = '0'] = process.argv.slice(2)
const log = createDecisionLog({
  store: fileStore(folder, { sync: 'never', rotate: { bytes: 8 * 1024 * 1024 } }),
})
if (command === 'write') {
  for (let at = 0; at < Number(count); at += 1000)
    await Promise.all(Array.from({ length: 1000 }, (_, each) => log.append(decision(`call-${at + each}`))))
  await log.close()
} else {
  const { ok, records } = await log.verify()
  console.log(JSON.stringify({ ok, records, kilobytes: process.resourceUsage().maxRSS }))
}
