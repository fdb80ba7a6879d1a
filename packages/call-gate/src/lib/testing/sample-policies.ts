/** A policy as a value, and whether it is one. */
export interface SamplePolicy {
  readonly name: string
  readonly value: unknown
  readonly accepted: boolean
}

const rule = { server: 'kb', tool: 'search', decision: 'allow' }
const withCondition = (condition: object): unknown => [{ ...rule, when: [condition] }]

const accepted: Readonly<Record<string, unknown>> = {
  'no rules': [],
  'one rule': [rule],
  'a prompt': [{ server: 'kb', prompt: 'summary', decision: 'deny' }],
  'a template': [{ server: 'kb', resource: 'file://{/path*}', decision: 'ask', reason: 'may be large' }],
  wildcards: [{ server: 'shop-*', tool: '*', decision: 'ask', profile: ['ci', 'desktop'] }],
  'the object form': {
    $schema: 'https://example.org/policy.json',
    rules: [rule],
    defaults: { tool: 'deny' },
    elicitation: ['desktop'],
    denials: [{ server: 'shop-a', tool: '*', text: '*permission denied*' }],
  },
  'equality with null': withCondition({ pointer: '/a', equals: null }),
  'equality with an object': withCondition({ pointer: '', equals: { a: [1] } }),
  'a list of values': withCondition({ pointer: '/a/0', in: ['x', 1, false] }),
  'a bound': withCondition({ pointer: '/a~1b', atMost: 10 }),
  presence: withCondition({ pointer: '/a', exists: false }),
}

const refused: Readonly<Record<string, unknown>> = {
  'a text': 'allow everything',
  null: null,
  'an object without rules': {},
  'a rule that is a text': ['search'],
  'no server': [{ tool: 'search', decision: 'allow' }],
  'an empty server': [{ ...rule, server: '' }],
  'no name': [{ server: 'kb', decision: 'allow' }],
  'two names': [{ ...rule, prompt: 'search' }],
  'no decision': [{ server: 'kb', tool: 'search' }],
  'a decision of another word': [{ ...rule, decision: 'Allow' }],
  'a misspelt condition': [{ ...rule, wen: [{ pointer: '/a', equals: 1 }] }],
  'a condition on annotations': [{ ...rule, annotations: { readOnlyHint: true } }],
  'no conditions at all': [{ ...rule, when: [] }],
  'a condition without a comparison': withCondition({ pointer: '/a' }),
  'a condition with two comparisons': withCondition({ pointer: '/a', atMost: 10, atLeast: 1 }),
  'a condition without a pointer': withCondition({ equals: 1 }),
  'a bound that is a text': withCondition({ pointer: '/a', atMost: '10' }),
  'an empty list of values': withCondition({ pointer: '/a', in: [] }),
  'an empty list of profiles': [{ ...rule, profile: [] }],
  'an unknown member at the top': { rules: [rule], allow: ['search'] },
  'a default for nothing known': { rules: [], defaults: { sampling: 'allow' } },
  'a denial without a server': { rules: [], denials: [{ text: 'denied' }] },
}

/** Every form of a policy, right and wrong, where the JSON Schema and the parser have to agree. */
export const samplePolicies: readonly SamplePolicy[] = [
  ...Object.entries(accepted).map(([name, value]) => ({ name, value, accepted: true })),
  ...Object.entries(refused).map(([name, value]) => ({ name, value, accepted: false })),
]
