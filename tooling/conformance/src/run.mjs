// `npm run conformance [server|client]`: the official suite against our server and our client, for both revisions.
// An entry of expected/<revision>.yml that passes now is stale, and fails the run like a new failure.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { bundle } from './bundle.mjs'

const here = import.meta.dirname
const revisions = ['2025-11-25', '2026-07-28']
const wanted = process.argv[2]
const require = createRequire(import.meta.url)
const suite = join(
  dirname(require.resolve('@modelcontextprotocol/conformance/package.json')),
  'dist',
  'index.js',
)
const folder = mkdtempSync(join(tmpdir(), 'truename-conformance-'))

/** Runs the suite in the scratch folder, where it leaves its results. */
async function start(args) {
  const child = spawn(process.execPath, ['--import', join(here, 'node20.mjs'), suite, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  }
  const [code] = await once(child, 'close')
  return { passed: code === 0, output }
}

const expectedFile = (revision) => join(here, '..', 'expected', `${revision}.yml`)

async function runServer(url, revision) {
  const { passed, output } = await start([
    'server',
    '--url',
    url,
    '--requirements',
    revision,
    '--expected-failures',
    expectedFile(revision),
  ])
  console.log(
    `\nOur server, revision ${revision}\n${output.slice(Math.max(0, output.indexOf('=== SUMMARY ==='))).trim()}`,
  )
  return passed
}

/** The client scenarios a revision requires. */
async function clientScenarios(revision) {
  const { output } = await start(['list', '--requirements', revision])
  const required = output.split('Client scenarios')[1]?.split('Run and reported')[0] ?? ''
  return [...required.matchAll(/^ {2}- (\S+)$/gm)].map(([, name]) => name)
}

/** What is listed under `client:` in the file of expected failures. */
function expectedFailures(revision) {
  const client = readFileSync(expectedFile(revision), 'utf8').split(/^client:/m)[1] ?? ''
  return new Set([...(client.split(/^\w+:/m)[0] ?? '').matchAll(/^\s+- (\S+)/gm)].map(([, name]) => name))
}

/**
 * Runs the client scenarios two at a time. The suite would start them all at once, and a client that waits for its
 * turn of the processor longer than the suite waits for it counts as failed.
 */
async function runClient(client, revision) {
  const expected = expectedFailures(revision)
  const waiting = await clientScenarios(revision)
  const wrong = []
  console.log(`\nOur client, revision ${revision}, ${waiting.length} scenarios`)
  const worker = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const args = [
        'client',
        '--command',
        `${process.execPath} ${client}`,
        '--scenario',
        name,
        '--spec-version',
        revision,
      ]
      const { passed, output } = await start([...args, '--timeout', '120000'])
      console.log(
        `${passed ? '✓' : '✗'} ${name}: ${/Passed: [^\n]*/.exec(output)?.[0] ?? output.slice(-300)}`,
      )
      if (passed === expected.has(name))
        wrong.push(passed ? `${name} passes now: take it off the list` : name)
    }
  }
  await Promise.all([worker(), worker()])
  for (const line of wrong) console.log(`Not as expected: ${line}`)
  return wrong.length === 0
}

const results = []
try {
  if (wanted !== 'client') {
    const server = spawn(process.execPath, [await bundle('server', folder)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = await once(server.stdout.setEncoding('utf8'), 'data')
    for (const revision of revisions) {
      results.push(await runServer(line.trim(), revision))
    }
    server.kill()
    await once(server, 'exit')
  }
  if (wanted !== 'server') {
    const client = await bundle('client', folder)
    for (const revision of revisions) {
      results.push(await runClient(client, revision))
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
const failed = results.filter((passed) => !passed).length
console.log(`\n${results.length - failed} passed, ${failed} failed, 0 skipped`)
process.exitCode = failed === 0 ? 0 : 1
