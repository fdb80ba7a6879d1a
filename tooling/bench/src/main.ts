import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { consumed } from './lib/compare.ts'
import { machineFacts } from './lib/machine.ts'
import { writeSection } from './lib/page.ts'
import { root } from './lib/root.ts'
import type { Suite } from './lib/suite.ts'

// Run from dist: each file in dist/suites is a suite, named after its file.
const folder = join(import.meta.dirname, 'suites')
const all = readdirSync(folder)
  .filter((file) => file.endsWith('.js'))
  .map((file) => file.slice(0, -3))
  .sort()
const quick = process.argv.includes('--quick')
const named = process.argv.slice(2).filter((argument) => !argument.startsWith('-'))
const unknown = named.filter((name) => !all.includes(name))
if (unknown.length > 0) {
  console.error(`Unknown suite ${unknown.join(', ')}. Suites: ${all.join(', ')}.`)
  process.exit(2)
}

const page = join(root, 'docs', 'benchmarks.md')
const names = named.length > 0 ? named : all
if (names.length > 1) {
  // Each in a process of its own: in one they would share a heap, and what the compiler has seen of our code.
  for (const name of names) {
    const { status } = spawnSync(process.execPath, [process.argv[1]!, name, ...(quick ? ['--quick'] : [])], {
      stdio: 'inherit',
    })
    if (status !== 0) process.exit(status ?? 1)
  }
} else {
  const name = names[0]!
  const { suite }: { suite: Suite } = await import(pathToFileURL(join(folder, `${name}.js`)).href)
  console.log(`\n# ${suite.title}`)
  const text = await suite.run({ quick, log: (line) => console.log(line) })
  const section = `## ${suite.title}\n\n${text.trim()}\n\nMeasured on ${machineFacts()}.`
  console.log(`\n${section}`)
  if (!quick) writeSection(page, name, section)
  console.log(`\n(${consumed()} looked at)`)
}
