import { z } from 'zod'
import { comparisons, conditionSchema, policySchema, ruleSchema } from './policy-schema.ts'

const exactlyOneOf = (members: readonly string[]) => members.map((member) => ({ required: [member] }))

/** The JSON Schema (2020-12) of a policy file: an object, or the list of rules alone. */
export function policyJsonSchema(): object {
  return z.toJSONSchema(z.union([policySchema, z.array(ruleSchema)]).meta({ title: 'Truename policy' }), {
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === ruleSchema) jsonSchema.oneOf = exactlyOneOf(['tool', 'prompt', 'resource'])
      if (zodSchema === conditionSchema) jsonSchema.oneOf = exactlyOneOf(comparisons)
    },
  })
}
