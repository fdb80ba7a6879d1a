// `npm run conformance [server|client]`: the official suite against our server and our client, for both revisions.
// The suite itself fails on a stale entry of expected/<revision>.yml: one that passes now.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { bundle } from './bundle.mjs'

const here = import.meta.dirname
const revisions = ['2025-11-25', '2026-07-28']
const wanted = process.argv[2]
const require = createRequire(import.meta.url)
const suite = join(dirname(require.resolve('@modelcontextprotocol/conformance/package.json')), 'dist', 'index.js')
const folder = mkdtempSync(join(tmpdir(), 'truename-conformance-'))

/** Runs the suite in the scratch folder, where it leaves its results; shows its summary and says whether it passed. */
async function run(title, args) {
  const expected = join(here, '..', 'expected')
  const revision = args.at(-1)
  const child = spawn(
    process.execPath,
    ['--import', join(here, 'node20.mjs'), suite, ...args.slice(0, -1), '--requirements', revision, '--expected-failures', join(expected, `${revision}.yml`)],
    { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  }
  const [code] = await once(child, 'close')
  const summary = output.slice(Math.max(0, output.search(/=== (SUITE )?SUMMARY ===/)))
  console.log(`\n${title}, revision ${revision}\n${summary.trim()}`)
  return code === 0
}

const results = []
try {
  if (wanted !== 'client') {
    const server = spawn(process.execPath, [await bundle('server', folder)], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = await once(server.stdout.setEncoding('utf8'), 'data')
    for (const revision of revisions) {
      results.push(await run('Our server', ['server', '--url', line.trim(), revision]))
    }
    server.kill()
    await once(server, 'exit')
  }
  if (wanted !== 'server') {
    const client = await bundle('client', folder)
    for (const revision of revisions) {
      results.push(await run('Our client', ['client', '--command', `${process.execPath} ${client}`, '--timeout', '240000', revision]))
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
const failed = results.filter((passed) => !passed).length
console.log(`\n${results.length - failed} passed, ${failed} failed, 0 skipped`)
process.exitCode = failed === 0 ? 0 : 1
