import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { programs, root, run } from './programs.ts'

const commands: Readonly<Record<string, string>> = {
  'truename-host': programs.host,
  'truename-server': programs.knowledgeBase,
  'truename-shop': programs.shop,
}

/** A command of a README with the output that is shown below it. */
interface Shown {
  readonly line: number
  readonly command: string
  readonly output: string
}

function shownIn(markdown: string): readonly Shown[] {
  const blocks = [...markdown.matchAll(/^```console\n\$ (.+)\n([\s\S]*?)^```$/gm)]
  return blocks.map(({ index, 1: command = '', 2: output = '' }) => ({
    line: markdown.slice(0, index).split('\n').length,
    command,
    output,
  }))
}

/** The words of a command line, with the built programs in place of their names. */
function wordsOf(command: string): readonly string[] {
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
  return words.flatMap((word) => (commands[word] ? [process.execPath, commands[word]] : [word]))
}

/** What differs from run to run. */
const settled = (text: string): string => text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')

describe.each(['server', 'host'])('the README of %s', (app) => {
  const shown = shownIn(readFileSync(join(root, 'apps', app, 'README.md'), 'utf8'))

  it('shows commands with their output', () => expect(shown.length).toBeGreaterThanOrEqual(4))

  it.each(shown)('shows what the command on line $line prints', async ({ command, output }) => {
    const [program = '', ...args] = wordsOf(command)
    const { stdout, stderr } = await run(program, args, { cwd: root })
    // On a terminal the two streams run together.
    expect([settled(stdout + stderr), settled(stderr + stdout)]).toContain(settled(output))
  })
})
