import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ServerConfig } from '@truename/mcp-link'
import { build } from 'esbuild'

const require = createRequire(import.meta.url)

/** The folder where the programs of a test run are bundled; gone when the run ends. */
let folder: string | undefined
const bundles = new Map<string, Promise<string>>()

function scratch(): string {
  if (folder === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'truename-programs-'))
    process.once('exit', () => rmSync(made, { recursive: true, force: true }))
    folder = made
  }
  return folder
}

/** Bundles a TypeScript program of this folder on the sources of the workspace; returns a file that node can run. */
export function program(name: string): Promise<string> {
  const known = bundles.get(name)
  if (known) return known
  const outfile = join(scratch(), `${name}.mjs`)
  const made = build({
    entryPoints: [join(import.meta.dirname, 'programs', `${name}.ts`)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['@truename/source'],
    banner: {
      js: "import { createRequire as __r } from 'node:module'; const require = __r(import.meta.url);",
    },
    logLevel: 'error',
  }).then(() => outfile)
  bundles.set(name, made)
  return made
}

/** A stdio server config of this command, in a scratch folder. */
export function stdioConfig(
  id: string,
  args: readonly string[],
  more: {
    readonly env?: Readonly<Record<string, string>>
    readonly command?: string
    readonly cwd?: string
  } = {},
): Extract<ServerConfig, { kind: 'stdio' }> {
  const { command = process.execPath, env = {}, cwd = scratch() } = more
  return { id, written: {}, options: {}, kind: 'stdio', command, args, env: { HOME: scratch(), ...env }, cwd }
}

/** An HTTP server config. */
export function httpConfig(
  id: string,
  url: string,
  headers: Readonly<Record<string, string>> = {},
): ServerConfig {
  return { id, written: {}, options: {}, kind: 'http', url, headers }
}

/** The program file of an installed npm package. */
export function installed(name: string, bin?: string): string {
  const manifest = packageJson(name)
  const { bin: bins } = require(manifest) as { bin: string | Record<string, string> }
  const file = typeof bins === 'string' ? bins : bins[bin ?? Object.keys(bins)[0] ?? '']
  if (file === undefined) throw new Error(`${name} has no program ${bin}`)
  return join(dirname(manifest), file)
}

function packageJson(name: string): string {
  for (const base of require.resolve.paths(name) ?? []) {
    const file = join(base, name, 'package.json')
    try {
      return require.resolve(file)
    } catch {
      // Not in this folder.
    }
  }
  throw new Error(`${name} is not installed`)
}
