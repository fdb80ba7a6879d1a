import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { fingerprintEndpoint } from '../src/lib/endpoint.ts'
import { formatLock } from '../src/lib/format-lock.ts'
import type { JsonObject } from '../src/lib/json.ts'
import { emptyLock, withServer } from '../src/lib/lock.ts'
import { lockServer } from '../src/lib/lock-server.ts'

const endpoint = fingerprintEndpoint({ command: 'node', args: ['kb.js'] })
/** Tools by name; the number says which of its members is not as it was. */
export type Tools = Readonly<Record<string, number>>

/** A tool with every member a definition may have; `turn` changes the member it names. */
const tool = (name: string, turn: number): JsonObject => {
  const say = (member: number): string => (turn === member ? 'changed' : 'as it was')
  return {
    name,
    title: say(1),
    description: say(2),
    inputSchema: { type: 'object', properties: { q: { type: 'string', description: say(3) } } },
    outputSchema: { type: 'object', description: say(4) },
    annotations: { title: say(5) },
    icons: [{ src: say(6) }],
    execution: { taskSupport: say(7) },
    _meta: { a: say(8) },
    'x-future': say(9),
  }
}
/** The text of a lock of some servers, each with tools by name and turn. */
export const textOf = (servers: Readonly<Record<string, Tools>>): string =>
  formatLock(
    Object.entries(servers).reduce(
      (lock, [id, tools]) =>
        withServer(
          lock,
          lockServer({
            id,
            endpoint,
            surface: { tools: Object.entries(tools).map(([name, turn]) => tool(name, turn)) },
          }).server,
        ),
      emptyLock,
    ),
  )

/** Merges by git itself, from a common ancestor. */
export function merge(
  base: string,
  ours: string,
  theirs: string,
): { readonly clean: boolean; readonly text: string } {
  const folder = temporaryFolder()
  const files = { base, ours, theirs }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  try {
    const text = execFileSync('git', ['merge-file', '-p', 'ours', 'base', 'theirs'], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return { clean: true, text }
  } catch (error) {
    return { clean: false, text: String((error as { stdout?: string }).stdout) }
  }
}

/** The number of hunks of `git diff`. */
export function hunks(before: string, after: string): number {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'before'), before)
  writeFileSync(join(folder, 'after'), after)
  try {
    execFileSync('git', ['diff', '--no-index', 'before', 'after'], { cwd: folder, encoding: 'utf8' })
    return 0
  } catch (error) {
    return String((error as { stdout?: string }).stdout).match(/^@@/gm)?.length ?? 0
  }
}
