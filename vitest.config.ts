import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

// Tests run on the sources of the workspace; only suites that start a built program need `npm run build`.
const conditions = ['@truename/source', 'module', 'node', 'development|production']
const everywhere = ['packages/*/{src,test}/**', 'apps/*/{src,test}/**', 'tooling/*/{src,test}/**']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    passWithNoTests: true,
    // Threads start in half the time of processes, and most files are done in a blink.
    pool: 'threads',
    maxWorkers: availableParallelism(),
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: everywhere.map((folder) => `${folder}/*.test.ts`),
          exclude: ['**/*.slow.test.ts', '**/node_modules/**', '**/dist/**'],
          testTimeout: 20_000,
          hookTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: everywhere.map((folder) => `${folder}/*.slow.test.ts`),
          exclude: ['**/node_modules/**', '**/dist/**'],
          testTimeout: 300_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
