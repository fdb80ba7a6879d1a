// `npm run demo`: the walk-through, with real servers, a real lock and a real log, in a folder of its own.
import { join } from 'node:path'
import { build, install, root, run } from './workspace.mjs'

install()
await build()
process.exitCode = await run(process.execPath, [join(root, 'tooling', 'scripts', 'walk-through.mjs'), ...process.argv.slice(2)])
