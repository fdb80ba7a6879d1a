import { join } from 'node:path'
import { build } from 'esbuild'

/** Bundles a program of this folder on the sources of the workspace, for plain node. */
export async function bundle(name, folder) {
  const outfile = join(folder, `${name}.mjs`)
  await build({
    entryPoints: [join(import.meta.dirname, `${name}.ts`)],
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
  })
  return outfile
}
