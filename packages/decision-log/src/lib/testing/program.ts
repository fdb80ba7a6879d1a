import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { build } from 'tsup'

/** Builds a program of this folder into another, with all it imports, and gives its path. */
export async function buildProgram(name: string, folder: string): Promise<string> {
  await build({
    entry: [join(import.meta.dirname, `${name}.ts`)],
    outDir: folder,
    config: false,
    silent: true,
    format: 'esm',
    target: 'node20',
    platform: 'node',
    noExternal: [/.*/],
    dts: false,
    outExtension: () => ({ js: '.mjs' }),
  })
  return join(folder, `${name}.mjs`)
}

export const runProgram = (program: string, args: readonly string[], node: readonly string[] = []): string =>
  execFileSync(process.execPath, [...node, program, ...args], { encoding: 'utf8' })
