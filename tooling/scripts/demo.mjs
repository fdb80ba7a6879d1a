// `npm run demo`: the walk-through, with real servers, a real lock and a real log, in a folder of its own.
import { build, install } from './workspace.mjs'

install()
await build()
const { main } = await import('../e2e/walk-through/walk-through.mjs')
process.exitCode = await main()
