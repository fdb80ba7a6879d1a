import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Tests run on the sources of the workspace; only suites that start a built program need `npm run build`.
const conditions = ['@truename/source', 'module', 'node', 'development|production']
const everywhere = ['packages/*/{src,test}/**', 'apps/*/{src,test}/**', 'tooling/*/{src,test}/**']

/** Suites that start real programs take longest: begun first, they do not keep the others waiting at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const rank = ({ moduleId }: TestSpecification) =>
      moduleId.includes('walk-through') || moduleId.includes('pack.slow')
        ? 0
        : moduleId.includes('/e2e/')
          ? 1
          : 2
    return sorted.sort((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    passWithNoTests: true,
    // Threads start in half the time of processes, and most files are done in a blink.
    pool: 'threads',
    maxWorkers: availableParallelism(),
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          // Two hundred files load in a third of the time where they share what they import.
          isolate: false,
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
