import { createNegotiation, type Negotiation } from '@truename/capability-negotiator'
import { type Contest, compare } from '../lib/compare.ts'
import { table } from '../lib/markdown.ts'
import type { Suite } from '../lib/suite.ts'

const client = { info: { name: 'bench', version: '1' }, capabilities: {} }
const capabilities = { tools: { listChanged: true }, resources: {}, prompts: {}, completions: {} }

function legacy(): Negotiation {
  const n = createNegotiation({ transport: 'stdio', client, policy: { era: 'legacy' } })
  n.start()
  n.receive({ kind: 'result', value: { protocolVersion: '2025-11-25', capabilities } })
  n.receive({ kind: 'sent' })
  return n
}

function modern(): Negotiation {
  const n = createNegotiation({ transport: 'http', client })
  n.start()
  n.receive({ kind: 'result', value: { supportedVersions: ['2026-07-28'], capabilities } })
  return n
}

const call = { name: 'search', arguments: { query: 'risks' } }
const read = { uri: 'docs://manual/current' }

/** What is asked, of which connection, what is right, and the budget in nanoseconds where there is one. */
const questions: readonly {
  readonly name: string
  readonly connect: () => Negotiation
  readonly ask: (n: Negotiation) => unknown
  readonly right: (answer: unknown) => boolean
  readonly budget?: number
}[] = [
  {
    name: 'can: allowed',
    connect: legacy,
    ask: (n) => n.can('resources/read', read),
    right: (answer) => (answer as { allowed: unknown }).allowed === true,
    budget: 100,
  },
  {
    name: 'can: refused, with reason and what to do instead',
    connect: legacy,
    ask: (n) => n.can('resources/subscribe', read),
    right: (answer) => (answer as { missing?: string }).missing === 'resources.subscribe',
    budget: 100,
  },
  {
    name: 'can: a call, whose parameters count',
    connect: modern,
    ask: (n) => n.can('tools/call', call),
    right: (answer) => (answer as { allowed: unknown }).allowed === true,
    budget: 100,
  },
  {
    name: 'can: a message of no published revision',
    connect: modern,
    ask: (n) => n.can('acme/frobnicate'),
    right: (answer) => (answer as { allowed: unknown }).allowed === 'unknown',
    budget: 100,
  },
  {
    name: 'admit',
    connect: modern,
    ask: (n) => n.admit('tools/call', call),
    right: (answer) => (answer as { do: unknown }).do === 'send',
  },
  {
    name: 'headers of a call',
    connect: modern,
    ask: (n) => n.headers({ method: 'tools/call', params: call }),
    right: (answer) => (answer as Record<string, string>)['Mcp-Name'] === 'search',
  },
  {
    name: 'a whole legacy negotiation',
    connect: legacy,
    ask: () => legacy().version,
    right: (answer) => answer === '2025-11-25',
  },
  {
    name: 'a whole modern negotiation',
    connect: modern,
    ask: () => modern().version,
    right: (answer) => answer === '2026-07-28',
  },
]

const duration = (nanoseconds: number): string =>
  nanoseconds < 1000
    ? `${nanoseconds.toFixed(nanoseconds < 10 ? 1 : 0)} ns`
    : `${(nanoseconds / 1000).toFixed(2)} µs`

export const suite: Suite = {
  title: 'Asking what a connection may do',
  run: ({ quick, log }) => {
    const rows = questions.map(({ name, connect, ask, right, budget }): readonly string[] => {
      log(name)
      const contest: Contest = {
        name,
        isRight: right,
        contestants: [
          {
            name: 'ours',
            ours: true,
            prepare: () => {
              const n = connect()
              return () => ask(n)
            },
          },
        ],
      }
      const [standing] = compare(contest, quick ? { rounds: 11, sliceMs: 4 } : {}).standings
      if (standing === undefined || !standing.right) return [name, 'wrong answer', '']
      const each = 1e9 / standing.perSecond
      if (budget === undefined) return [name, duration(each), '']
      return [name, duration(each), each < budget ? `under ${budget} ns` : `**over ${budget} ns** (a loss)`]
    })
    return `\`can()\` is asked before every message, so it has to cost nothing: its budget is 100 ns. The other lines have none and
are there to be watched. Each is the median of the rounds, in processor time of one call.

${table(['', 'one call', 'budget'], rows)}`
  },
}
