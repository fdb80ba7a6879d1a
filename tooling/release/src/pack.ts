import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { codeBlocks, withChecks } from '@truename/tooling-vitest/readme'
import ts from 'typescript'
import { type Member, root } from './workspace.ts'

const execute = promisify(execFile)

/** Runs a program and resolves to its standard output; a failure carries all it printed. */
export async function runIn(folder: string, program: string, args: readonly string[]): Promise<string> {
  try {
    const { stdout } = await execute(program, [...args], { cwd: folder, maxBuffer: 1 << 26 })
    return stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${program} ${args.join(' ')} failed in ${folder}\n${stdout}\n${stderr}`)
  }
}

/** Packs one member as it would be published; returns the tarball's path. */
export async function pack(member: Member, destination: string): Promise<string> {
  mkdirSync(destination, { recursive: true })
  const before = new Set(readdirSync(destination))
  await runIn(member.folder, join(root, 'node_modules', '.bin', 'pnpm'), [
    'pack',
    '--pack-destination',
    destination,
  ])
  const tarball = readdirSync(destination).find((file) => !before.has(file))
  if (!tarball) throw new Error(`${member.manifest.name} made no tarball`)
  return join(destination, tarball)
}

/** Writes a project that depends on one tarball alone; the workspace packages below it come as tarballs too. */
export function writeConsumer(folder: string, name: string, tarballs: ReadonlyMap<string, string>): void {
  mkdirSync(folder, { recursive: true })
  const files = Object.fromEntries([...tarballs].map(([key, file]) => [key, `file:${file}`]))
  const { [name]: own, ...others } = files
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify(
      { name: 'consumer', private: true, type: 'module', dependencies: { [name]: own }, overrides: others },
      null,
      2,
    ),
  )
}

/** The README's TypeScript blocks as files of the consumer, as they stand (to typecheck) and with checks (to run). */
export function writeReadmeExamples(
  consumer: string,
  name: string,
): { readonly sources: string[]; readonly programs: string[] } {
  const readme = readFileSync(join(consumer, 'node_modules', name, 'README.md'), 'utf8')
  const sources: string[] = []
  const programs: string[] = []
  for (const { line, code } of codeBlocks(readme)) {
    const source = `readme-${line}.ts`
    writeFileSync(join(consumer, source), `${code}\nexport {}\n`)
    sources.push(source)
    const { outputText } = ts.transpileModule(withChecks(code), {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
    })
    const program = `readme-${line}.mjs`
    const check =
      "import { deepStrictEqual } from 'node:assert'\nconst __shows = (line, actual, expected) => deepStrictEqual(actual, expected, undefined)\n"
    writeFileSync(join(consumer, program), check + outputText)
    programs.push(program)
  }
  return { sources, programs }
}
