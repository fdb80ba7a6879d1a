// `npm test` and `npm run test:all`: install, build, lint, typecheck, test; the last line counts the tests.
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { install, root, run } from './workspace.mjs'

const all = process.argv.includes('--all')
const started = Date.now()

const finish = (passed, failed, skipped = 0) => {
  console.log(`\n${Math.round((Date.now() - started) / 1000)} s`)
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
  process.exit(failed > 0 ? 1 : 0)
}

const step = async (name, command, args) => {
  const code = await run(command, args)
  if (code === 0) return
  console.error(`\n${name} failed (see above); the tests were not run.`)
  finish(0, 1)
}

install()
await step('Lint', 'biome', ['ci', '--error-on-warnings', '.'])
// One program for all sources is typechecked in a third of the time that one for each package takes.
await Promise.all([
  step('Build', 'turbo', ['run', 'build', ...(all ? ['types'] : []), '--output-logs=errors-only']),
  step('Typecheck', 'tsc', ['-p', '.']),
])

const report = join(root, 'node_modules', '.cache', 'truename', 'tests.json')
mkdirSync(join(report, '..'), { recursive: true })
rmSync(report, { force: true })
const projects = all ? [] : ['--project', 'fast']
const code = await run('vitest', [
  'run',
  ...projects,
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${report}`,
])

let result
try {
  result = JSON.parse(readFileSync(report, 'utf8'))
} catch {
  console.error('\nThe test runner left no report.')
  finish(0, 1)
}

const tests = result.testResults.flatMap((file) => file.assertionResults)
const count = (status) => tests.filter((test) => status.includes(test.status)).length
// A file that does not load, a failing hook and an unhandled error have no test of their own.
const broken = result.testResults.filter(
  (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
)
const failed = count(['failed']) + broken.length
const skipped = tests.filter((test) => ['pending', 'skipped', 'todo', 'disabled'].includes(test.status))
if (skipped.length > 0) {
  const reasons = new Map()
  for (const test of skipped) {
    const reason = /\[needs ([^\]]+)\]/.exec(test.fullName)?.[1] ?? test.fullName
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
  }
  console.log('\nSkipped:')
  for (const [reason, number] of reasons) console.log(`  ${number} × needs ${reason}`)
}
if (!all) console.log('\nSlow suites are in `npm run test:all`.')
finish(count(['passed']), failed === 0 && code !== 0 ? 1 : failed, skipped.length)
