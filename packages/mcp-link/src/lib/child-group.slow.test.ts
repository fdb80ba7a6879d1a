import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { afterAll, expect, it } from 'vitest'

// The programs below are run by plain Node, beside the packages that the module imports.
const folder = mkdtempSync(fileURLToPath(new URL('../../node_modules/.child-group-', import.meta.url)))
afterAll(() => rmSync(folder, { recursive: true }))
const source = readFileSync(new URL('child-group.ts', import.meta.url), 'utf8')
const module = `${folder}/child-group.mjs`
const target = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true }
writeFileSync(module, ts.transpile(source, target))

/** What the package `signal-exit` does: it ends the process where nobody but its like listens. */
const signalExit = `
  const emitter = (globalThis[Symbol.for('signal-exit emitter')] = { count: 1 })
  const listener = () => {
    if (process.listeners('SIGTERM').length !== emitter.count) return
    process.off('SIGTERM', listener)
    process.kill(process.pid, 'SIGTERM')
  }
  process.on('SIGTERM', listener)`
const start = (copy: string) => `
  const { startChild: start${copy} } = await import('file://${module}?${copy}')
  await start${copy}({ command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'], env: {}, cwd: undefined })`

it.each([
  ['alone', start('a')],
  ['in two copies', start('a') + start('b')],
  ['beside signal-exit, loaded before', signalExit + start('a')],
  ['beside signal-exit, loaded after', start('a') + signalExit],
])('a program that starts servers ends at SIGTERM: %s', async (_name, program) => {
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', `${program}\nconsole.log('ready'); setInterval(() => {}, 1000)`],
    { stdio: ['ignore', 'pipe', 'inherit'], cwd: import.meta.dirname },
  )
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  const ended = await Promise.race([
    once(child, 'exit'),
    new Promise((resolve) => setTimeout(resolve, 10_000)),
  ])
  child.kill('SIGKILL')
  expect(ended).toEqual([null, 'SIGTERM'])
})
