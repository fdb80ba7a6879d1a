import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describeWith, fixtures } from '@truename/tooling-vitest/needs'
import { describe, expect, it } from 'vitest'
import { expandTemplate, type TemplateValues } from './expand-template.ts'

/** `[template, expected]`: a text, texts any of which is right, or `false` where expansion must fail. */
type Case = readonly [template: string, expected: string | readonly string[] | false]
type Suite = Readonly<
  Record<string, { readonly variables: TemplateValues; readonly testcases: readonly Case[] }>
>

/** Templates that are answered otherwise than the suite has it, with the reason. Nothing is. */
const expectedDifferences: readonly string[] = []

function run(folder: string, counts: Readonly<Record<string, number>>): void {
  for (const [file, count] of Object.entries(counts)) {
    it(`answers all ${count} cases of ${file}`, () => {
      const suite: Suite = JSON.parse(readFileSync(join(folder, file), 'utf8'))
      const answers = Object.values(suite).flatMap(({ variables, testcases }) =>
        testcases.map(([template, expected]) => {
          const wanted = expected === false ? ['refused'] : [expected].flat()
          let answer: string
          try {
            answer = expandTemplate(template, variables)
          } catch (error) {
            answer = (error as Error).name.startsWith('Template') ? 'refused' : String(error)
          }
          return { template, answer, wanted }
        }),
      )
      expect(answers).toHaveLength(count)
      const different = answers.filter(({ answer, wanted }) => !wanted.includes(answer))
      expect(different.map(({ template }) => template)).toEqual(expectedDifferences)
    })
  }
}

describeWith(fixtures, 'the public test suite of URI templates (270 cases)', (folder) => {
  run(join(folder, 'uritemplate-test'), {
    'spec-examples.json': 64,
    'spec-examples-by-section.json': 117,
    'extended-tests.json': 53,
    'negative-tests.json': 36,
  })
})

describe('the edition of the public test suite that uri-template-router carries (250 cases)', () => {
  const router = dirname(createRequire(import.meta.url).resolve('uri-template-router'))
  run(join(router, 'test', 'uritemplate-test'), {
    'spec-examples.json': 63,
    'spec-examples-by-section.json': 116,
    'extended-tests.json': 42,
    'negative-tests.json': 29,
  })
})
