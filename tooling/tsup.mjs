import { defineConfig } from 'tsup'

/**
 * The one build of all packages: ES modules for Node 20 and browsers, one file per `exports` key. Declarations take
 * most of a build's time and only who installs a package needs them: `tooling/types.mjs` makes them.
 * @param {string[]} entry the files in `src/`, one per `exports` key
 * @param {import('tsup').Options} [more]
 */
export const library = (entry, more = {}) =>
  defineConfig({
    entry,
    format: 'esm',
    target: 'es2022',
    platform: 'neutral',
    clean: ['dist/**/*.js'],
    sourcemap: false,
    treeshake: true,
    dts: false,
    ...more,
  })

/** The build of an application: its own code in one file; packages of the workspace stay imports. */
export const application = (entry, more = {}) =>
  defineConfig({
    entry,
    format: 'esm',
    target: 'node20',
    platform: 'node',
    clean: true,
    sourcemap: true,
    dts: false,
    ...more,
  })
