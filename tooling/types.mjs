// Writes the declarations of the package in the working folder beside what is built, one file per `exports` key.
import { readFileSync } from 'node:fs'
import { build } from 'tsup'

const { exports } = JSON.parse(readFileSync('package.json', 'utf8'))

await build({
  config: false,
  silent: true,
  entry: Object.keys(exports).map((key) => `src/${key === '.' ? 'index' : key.slice(2)}.ts`),
  format: 'esm',
  // tsup sets `baseUrl`, which TypeScript 6 calls deprecated; workspace packages are taken as users get them.
  dts: { only: true, compilerOptions: { ignoreDeprecations: '6.0', customConditions: [] } },
})
