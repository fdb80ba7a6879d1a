import { z } from 'zod'

/** The members of a condition that compare; each has exactly one. */
export const comparisons = [
  'equals',
  'notEquals',
  'in',
  'notIn',
  'like',
  'notLike',
  'under',
  'lessThan',
  'atMost',
  'greaterThan',
  'atLeast',
  'exists',
] as const

const name = z.string().min(1)
const json = z.json().meta({ id: 'json' })
const verdict = z.enum(['allow', 'ask', 'deny'])
const pattern = (what: string) =>
  name.describe(`${what}. \`*\` stands for any run of characters; \`\\*\` is an asterisk.`)

export const conditionSchema = z
  .strictObject({
    pointer: z.string().describe('JSON Pointer (RFC 6901) into the arguments of the call.'),
    equals: json.optional().describe('The value is this one, of this type.'),
    notEquals: json.optional(),
    in: z.array(json).min(1).optional().describe('The value is one of these.'),
    notIn: z.array(json).min(1).optional(),
    like: z.string().optional().describe('A text this pattern matches (`*` is the wildcard).'),
    notLike: z.string().optional(),
    under: z.string().min(1).optional().describe('A path equal to this folder or inside it, without `..`.'),
    lessThan: z.number().optional(),
    atMost: z.number().optional(),
    greaterThan: z.number().optional(),
    atLeast: z.number().optional(),
    exists: z.boolean().optional().describe('Whether there is such a value at all.'),
  })
  .describe(
    'One comparison of one value. Where the value is absent or of another type, the condition cannot be decided: rules that allow then do not match, rules that ask or deny do.',
  )

export const ruleSchema = z
  .strictObject({
    server: pattern('The id of the server in the configuration'),
    tool: pattern("The tool's own name on that server").optional(),
    prompt: pattern("The prompt's own name on that server").optional(),
    resource: pattern('The exact URI of a resource, or the text of a resource template').optional(),
    decision: verdict,
    when: z.array(conditionSchema).min(1).optional().describe('All must hold.'),
    profile: z
      .union([name, z.array(name).min(1)])
      .optional()
      .describe("The caller's authorization profile."),
    reason: name.optional().describe('Why; shown with each decision of this rule.'),
  })
  .describe('Exactly one of tool, prompt and resource.')

const denial = z.strictObject({
  server: pattern('The id of the server in the configuration'),
  tool: pattern("The tool's own name on that server").optional(),
  text: name.describe('The whole text of a content block, in any case; `*` is the wildcard.'),
})

/** A policy as it stands in a file. */
export const policySchema = z
  .strictObject({
    $schema: z.string().optional(),
    rules: z.array(ruleSchema).describe('Tried in order; the first that matches decides.'),
    defaults: z
      .strictObject({ tool: verdict.optional(), prompt: verdict.optional(), resource: verdict.optional() })
      .optional()
      .describe('For calls no rule matches. Usual: tool ask, prompt allow, resource allow.'),
    elicitation: z
      .array(name)
      .optional()
      .describe('Profiles whose clients may answer by elicitation, for one call at a time.'),
    denials: z
      .array(denial)
      .optional()
      .describe('Texts by which servers refuse a call without marking the result as an error.'),
  })
  .describe('Who may call what: a policy of Truename.')

/** One rule as written. */
export type RuleSource = z.infer<typeof ruleSchema>
/** One condition as written. */
export type ConditionSource = z.infer<typeof conditionSchema>
/** A whole policy as written, in its object form. */
export type PolicySource = z.infer<typeof policySchema>
