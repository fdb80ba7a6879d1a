import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { parsePolicy } from './parse-policy.ts'
import { policyJsonSchema } from './policy-json-schema.ts'
import { samplePolicies } from './testing/sample-policies.ts'

const published = join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'truename.policy.schema.json')

describe('the JSON Schema of a policy', () => {
  it('is the one that is published', async () => {
    await expect(`${JSON.stringify(policyJsonSchema(), undefined, 2)}\n`).toMatchFileSnapshot(published)
  })

  it('accepts and refuses what the parser accepts and refuses', () => {
    const validate = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false }).compile(
      policyJsonSchema(),
    )
    for (const { name, value, accepted } of samplePolicies) {
      expect(validate(value), `the schema on ${name}`).toBe(accepted)
      const parse = () => parsePolicy(value)
      if (accepted) expect(parse, `the parser on ${name}`).not.toThrow()
      else expect(parse, `the parser on ${name}`).toThrow()
    }
  })
})
