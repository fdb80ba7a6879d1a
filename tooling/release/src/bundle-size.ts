import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/** What somebody imports from a package, and how much of a web page it may take. */
export interface SizeLimit {
  /** The folder of the package below `packages/`. */
  readonly package: string
  /** The file in `src/` that is imported; `index.ts` unless given. */
  readonly entry?: string
  /** The names that are imported, or all. */
  readonly imports: readonly string[] | 'all'
  /** The most it may take, bundled, tree-shaken, minified and compressed by gzip, in bytes. */
  readonly limit: number
  /** What it may take as long as it takes more than the limit; its test fails once that is no longer so, and this can go. */
  readonly notMetYet?: number
}

const packages = join(import.meta.dirname, '..', '..', '..', 'packages')

/**
 * The size in bytes of what is imported with all it needs, as a bundler for browsers makes it from the TypeScript
 * sources: tree-shaken, minified, compressed by gzip.
 */
export async function bundledSize({
  package: name,
  entry = 'index.ts',
  imports,
}: SizeLimit): Promise<number> {
  const from = JSON.stringify(`./src/${entry}`)
  const contents =
    imports === 'all' ? `export * from ${from}` : `export { ${imports.join(', ')} } from ${from}`
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: join(packages, name), loader: 'ts' },
    bundle: true,
    minify: true,
    treeShaking: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    conditions: ['@truename/source'],
    legalComments: 'none',
    write: false,
    logLevel: 'silent',
  })
  return gzipSync(outputFiles[0]!.contents, { level: 9 }).length
}
