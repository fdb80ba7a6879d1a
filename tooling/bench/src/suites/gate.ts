import {
  type Call,
  createGate,
  type Gate,
  memoryApprovals,
  parsePolicy,
  type Verdict,
} from '@truename/call-gate'
import { type Contest, compare } from '../lib/compare.ts'
import { table } from '../lib/markdown.ts'
import type { Suite } from '../lib/suite.ts'

const tool = (server: string, name: string, more: Partial<Call> = {}): Call => ({
  key: { server, kind: 'tool', name },
  args: { query: 'risks', limit: 10 },
  pin: { state: 'approved', digest: 'a'.repeat(64) },
  caller: { profile: 'default' },
  ...more,
})

const named = (count: number): object[] =>
  Array.from({ length: count }, (_, at) => ({
    server: `server-${at % 25}`,
    tool: `tool_${at}`,
    decision: at % 3 === 0 ? 'deny' : 'allow',
  }))

/** Every rule has a wildcard, and none but the last matches. */
const wild = (count: number): object[] => [
  ...Array.from({ length: count - 1 }, (_, at) => ({
    server: `team-${at}-*`,
    tool: 'get_*',
    decision: 'deny',
  })),
  { server: 'server-*', tool: '*', decision: 'allow' },
]

/** All rules speak of one server by patterns of its tools, and none but the last matches. */
const wildNames = (pattern: (at: number) => string, count = 1000): object[] => [
  ...Array.from({ length: count - 1 }, (_, at) => ({
    server: 'server-1',
    tool: pattern(at),
    decision: 'deny',
  })),
  { server: 'server-1', tool: '*', decision: 'allow' },
]

/** All rules speak of one pair, and only the conditions of the last hold. */
const conditional = (
  count: number,
  other: (at: number) => object = (at) => ({ equals: at + 100 }),
): object[] =>
  Array.from({ length: count }, (_, at) => ({
    server: 'server-1',
    tool: 'search',
    when: [{ pointer: '/limit', ...(at === count - 1 ? { equals: 10 } : other(at)) }],
    decision: at === count - 1 ? 'allow' : 'deny',
  }))

const gateOf = (rules: readonly object[]): Gate =>
  createGate({ policy: parsePolicy(rules), approvals: memoryApprovals() })

const resources = [
  ...named(998),
  { server: 'kb', resource: 'docs://catalog/secret', decision: 'deny' },
  { server: 'kb', resource: 'docs://catalog/{name}', decision: 'ask' },
]

const repeatedly = (call: Call) => (): Gate => {
  const gate = gateOf(named(1000))
  for (let round = 0; round < 3; round += 1) {
    gate.settle(call, { kind: 'error', error: { code: -32000, message: '' }, failure: 'refused' })
  }
  return gate
}

let unseen = 0

/** In nanoseconds. */
const budget = 5000

/** What is decided, by which policy, and what is right. */
const questions: readonly {
  readonly name: string
  readonly gate: () => Gate
  readonly call: () => Call
  readonly right: Verdict
}[] = [
  {
    name: '1,000 rules by name, one of them decides',
    gate: () => gateOf(named(1000)),
    call: () => tool('server-10', 'tool_985'),
    right: 'allow',
  },
  {
    name: '1,000 rules by name, none matches',
    gate: () => gateOf(named(1000)),
    call: () => tool('server-10', 'search'),
    right: 'ask',
  },
  {
    name: '100,000 rules by name',
    gate: () => gateOf(named(100_000)),
    call: () => tool('server-10', 'tool_985'),
    right: 'allow',
  },
  {
    name: '1,000 rules with wildcards, the last decides',
    gate: () => gateOf(wild(1000)),
    call: () => tool('server-1', 'search'),
    right: 'allow',
  },
  {
    name: '1,000 rules with wildcards, a pair never seen before',
    gate: () => gateOf(wild(1000)),
    call: () => {
      unseen += 1
      return tool('server-1', `search_${unseen}`)
    },
    right: 'allow',
  },
  {
    name: '1,000 patterns of names, each with a beginning, a pair never seen before',
    gate: () => gateOf(wildNames((at) => `get_${at}_*`)),
    call: () => {
      unseen += 1
      return tool('server-1', `search_${unseen}`)
    },
    right: 'allow',
  },
  {
    name: '1,000 patterns of names, each with a word between wildcards, a pair never seen before',
    gate: () => gateOf(wildNames((at) => `*${at.toString(36).padStart(3, 'x')}*`)),
    call: () => {
      unseen += 1
      return tool('server-1', `search_${unseen}`)
    },
    right: 'allow',
  },
  {
    name: 'a reading, by its template and its URI',
    gate: () => gateOf(resources),
    call: () => ({
      ...tool('', ''),
      key: { server: 'kb', kind: 'resource', name: 'docs://catalog/Q1%20report' },
      template: 'docs://catalog/{name}',
    }),
    right: 'ask',
  },
  {
    name: 'one rule with a condition on an argument',
    gate: () => gateOf([...named(999), ...conditional(1)]),
    call: () => tool('server-1', 'search'),
    right: 'allow',
  },
  {
    name: '1,000 rules with conditions, all on this one pair',
    gate: () => gateOf(conditional(1000)),
    call: () => tool('server-1', 'search'),
    right: 'allow',
  },
  {
    name: '1,000 rules with bounds for one number, all on this one pair',
    gate: () => gateOf(conditional(1000, (at) => ({ greaterThan: at + 100 }))),
    call: () => tool('server-1', 'search'),
    right: 'allow',
  },
  {
    name: '1,000 rules that ask about an argument that is absent, all on this one pair',
    gate: () =>
      gateOf(
        Array.from({ length: 1000 }, (_, at) => ({
          server: 'server-1',
          tool: 'search',
          when: [{ pointer: '/size', equals: at }],
          decision: 'ask',
        })),
      ),
    call: () => tool('server-1', 'search'),
    right: 'ask',
  },
  {
    name: '1,000 rules for profiles, all on this one pair',
    gate: () =>
      gateOf([
        ...Array.from({ length: 999 }, (_, at) => ({
          server: 'server-1',
          tool: 'search',
          profile: `team-${at}`,
          decision: 'deny',
        })),
        { server: 'server-1', tool: 'search', profile: 'default', decision: 'allow' },
      ]),
    call: () => tool('server-1', 'search'),
    right: 'allow',
  },
  {
    name: 'a definition that is held',
    gate: () => gateOf(named(1000)),
    call: () => tool('server-1', 'tool_1', { pin: { state: 'unknown' } }),
    right: 'deny',
  },
  {
    name: 'a call that was refused three times before',
    gate: repeatedly(tool('server-0', 'tool_0')),
    call: () => tool('server-0', 'tool_0'),
    right: 'deny',
  },
]

const duration = (nanoseconds: number): string =>
  nanoseconds < 1000 ? `${nanoseconds.toFixed(0)} ns` : `${(nanoseconds / 1000).toFixed(2)} µs`

export const suite: Suite = {
  title: 'Deciding a call',
  run: ({ quick, log }) => {
    const rows = questions.map((question): readonly string[] => {
      const { name, right } = question
      log(name)
      const contest: Contest = {
        name,
        isRight: (answer) => (answer as { verdict: unknown }).verdict === right,
        contestants: [
          {
            name: 'ours',
            ours: true,
            prepare: () => {
              const gate = question.gate()
              return () => gate.decide(question.call())
            },
          },
        ],
      }
      const [standing] = compare(contest, quick ? { rounds: 11, sliceMs: 4 } : {}).standings
      if (standing === undefined || !standing.right) return [name, 'wrong answer', '']
      const each = 1e9 / standing.perSecond
      return [name, duration(each), each < budget ? 'under 5 µs' : '**over 5 µs** (a loss)']
    })
    return `\`decide()\` stands in front of every call. Its budget is 5 µs with 1,000 rules. Rules are found by the pair, patterns by
what is fixed in them, conditions by the value they look at; what a pair matches is remembered for 8,192 pairs.

${table(['', 'one decision', 'budget'], rows)}`
  },
}
