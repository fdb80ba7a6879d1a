import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

const intro = `# Benchmarks

Written by \`npm run bench\`; the text between markers is replaced by each run of its suite. Every answer is checked
before anything is timed, and who answers wrongly is not timed. Ours and the peers run in one process in turns; ratios
of processor time are taken within a round and the median is shown, so that they mean something on a busy machine.
Speeds in operations a second are for orientation only. Losses are shown like wins.
`

const open = (name: string): string => `<!-- begin ${name} -->`
const close = (name: string): string => `<!-- end ${name} -->`

/** Puts a section into the page, in place of the former one of that name. */
export function withSection(page: string, name: string, section: string): string {
  const block = `${open(name)}\n${section.trim()}\n${close(name)}`
  const start = page.indexOf(open(name))
  const end = page.indexOf(close(name))
  if (start < 0 || end < start) return `${page.trimEnd()}\n\n${block}\n`
  return page.slice(0, start) + block + page.slice(end + close(name).length)
}

/** Writes one section of the page, whole or not at all. */
export function writeSection(file: string, name: string, section: string): void {
  const page = existsSync(file) ? readFileSync(file, 'utf8') : intro
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.new`, withSection(page, name, section))
  renameSync(`${file}.new`, file)
}
