import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'

/** The TypeScript blocks of a Markdown text, with the line each starts on. */
export function codeBlocks(markdown: string): { readonly line: number; readonly code: string }[] {
  const blocks: { line: number; code: string }[] = []
  const lines = markdown.split('\n')
  for (let at = 0; at < lines.length; at += 1) {
    if (!/^```ts\s*$/.test(lines[at] ?? '')) continue
    const start = at + 1
    while (at + 1 < lines.length && lines[at + 1] !== '```') at += 1
    blocks.push({ line: start + 1, code: lines.slice(start, at + 1).join('\n') })
  }
  return blocks
}

/** Turns `expression // → literal` lines into checks, so that a README shows real output. */
export function withChecks(code: string): string {
  return code
    .split('\n')
    .map((line, index) => {
      const shown = /^(\s*)(?:(const|let) (\w+)(?:: [^=]+)? = )?(.+?);?\s*\/\/ → (.+)$/.exec(line)
      if (!shown) return line
      const [, indent, keyword, name, expression, expected] = shown
      const check = (value: string) => `__shows(${index + 1}, ${value}, (${expected}))`
      return keyword
        ? `${indent}${keyword} ${name} = ${expression}; ${check(name ?? '')}`
        : `${indent}${check(`(${expression})`)}`
    })
    .join('\n')
}

/**
 * Runs every `ts` block of a package's README as a module of its own; a line that ends in `// → literal`
 * must have that value. The package imports itself by name, as its users do.
 */
export function testReadme(packageFolder: string, file = 'README.md'): void {
  const blocks = codeBlocks(readFileSync(join(packageFolder, file), 'utf8'))
  const scratch = join(packageFolder, '.readme')
  afterAll(() => rmSync(scratch, { recursive: true, force: true }))
  describe(`${file} examples`, () => {
    it('has at least one', () => expect(blocks.length).toBeGreaterThan(0))
    for (const { line, code } of blocks) {
      it(`runs the block on line ${line}`, async () => {
        mkdirSync(scratch, { recursive: true })
        const module = join(scratch, `${file.replaceAll(/[^a-z]/gi, '-')}-${line}.ts`)
        writeFileSync(module, withChecks(code))
        const shows = (at: number, actual: unknown, expected: unknown): void =>
          expect(actual, `${file}:${line + at - 1}`).toEqual(expected)
        Object.assign(globalThis, { __shows: shows })
        await import(/* @vite-ignore */ pathToFileURL(module).href)
      })
    }
  })
}
