import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { root } from './root.ts'

/** One case of the public test suite of URI templates; `false` where the template must be refused. */
export interface PublicCase {
  readonly template: string
  readonly values: Readonly<Record<string, unknown>>
  readonly expected: readonly string[] | false
}

const files = ['spec-examples', 'spec-examples-by-section', 'extended-tests', 'negative-tests']

/** The suite of 270 cases where it is there, else the older edition that uri-template-router carries. */
export function publicCases(): PublicCase[] {
  const shared = join(root, '..', 'shared', 'fixtures', 'uritemplate-test')
  const router = dirname(createRequire(import.meta.url).resolve('uri-template-router'))
  const folder = existsSync(shared) ? shared : join(router, 'test', 'uritemplate-test')
  return files.flatMap((file) => {
    const suite = JSON.parse(readFileSync(join(folder, `${file}.json`), 'utf8')) as Record<
      string,
      { variables: Record<string, unknown>; testcases: [string, string | string[] | false][] }
    >
    return Object.values(suite).flatMap(({ variables, testcases }) =>
      testcases.map(([template, expected]) => ({
        template,
        values: variables,
        expected: expected === false ? (false as const) : [expected].flat(),
      })),
    )
  })
}
