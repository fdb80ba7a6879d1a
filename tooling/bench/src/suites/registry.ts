import { createHash } from 'node:crypto'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import {
  createNameMap,
  digestDefinition,
  fingerprintEndpoint,
  formatLock,
  type Key,
  type LockedServer,
  lockServer,
  parseLock,
  type Surface,
  scanSurface,
  verifySurface,
} from '@truename/tool-registry'
import canonicalize from 'canonicalize'
import { type Contest, type Contestant, compare } from '../lib/compare.ts'
import { table } from '../lib/markdown.ts'
import type { Suite, SuiteContext } from '../lib/suite.ts'

/** A tool of about 700 bytes, as published servers have them: a description and a schema of a few properties. */
const tool = (index: number): object => ({
  name: `find_documents_${index}`,
  title: 'Find documents',
  description: `Finds documents of collection ${index} by words, author or date, newest first. Words may be quoted to keep them together.`,
  inputSchema: {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: {
      query: { type: 'string', description: 'Words to look for, in any order' },
      author: { type: 'string', description: 'Only documents of this author' },
      since: { type: 'string', format: 'date', description: 'Only documents of this day and later' },
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    },
    required: ['query'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
})

const tools = (count: number): object[] => Array.from({ length: count }, (_, index) => tool(index))
const surfaceOf = (count: number): Surface => ({ capabilities: { tools: {} }, tools: tools(count) })
const lockOf = (surface: Surface): LockedServer =>
  lockServer({ id: 'kb', endpoint: fingerprintEndpoint({ command: 'node' }), surface }).server
const keys = (count: number, server: string): Key[] =>
  Array.from({ length: count }, (_, index) => ({ server, kind: 'tool', name: `find_documents_${index}` }))

const nodeSha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest()

interface Task {
  readonly name: string
  readonly budgetMs?: number
  readonly isRight: (answer: unknown) => boolean
  readonly contestants: (count: number) => readonly Contestant[]
}

const ours = (prepare: Contestant['prepare'], name = 'ours'): Contestant => ({
  name,
  ours: name === 'ours',
  prepare,
})

const hashAll =
  (count: number, hash: (tool: object) => string): Contestant['prepare'] =>
  () => {
    const all = tools(count)
    return () => all.map(hash).at(-1)
  }

const tasks: readonly Task[] = [
  {
    name: 'canonicalise and hash tools of 700 bytes',
    budgetMs: 500,
    isRight: (answer) => typeof answer === 'string' && answer.length === 64,
    contestants: (count) => [
      ours(hashAll(count, (one) => digestDefinition(one))),
      ours(
        hashAll(count, (one) => digestDefinition(one, { sha256: nodeSha256 })),
        'ours, with node:crypto',
      ),
      {
        name: 'canonicalize, @noble/hashes',
        prepare: hashAll(count, (one) => bytesToHex(sha256(new TextEncoder().encode(canonicalize(one))))),
      },
      {
        name: 'canonicalize, node:crypto',
        prepare: hashAll(count, (one) =>
          createHash('sha256')
            .update(canonicalize(one) ?? '')
            .digest('hex'),
        ),
      },
    ],
  },
  {
    name: 'compare a surface with its lock',
    budgetMs: 800,
    isRight: (answer) => answer === 0,
    contestants: (count) => [
      ours(() => {
        const surface = surfaceOf(count)
        const locked = lockOf(surface)
        return () => verifySurface(locked, surface).held.length
      }),
    ],
  },
  {
    name: 'build a name map, all names plain',
    budgetMs: 50,
    isRight: (answer) => Number(answer) > 0,
    contestants: (count) => [
      ours(() => {
        const all = keys(count, 'kb')
        return () => createNameMap(all).size
      }),
    ],
  },
  {
    name: 'build a name map, all names shortened',
    budgetMs: 50,
    isRight: (answer) => Number(answer) > 0,
    contestants: (count) => [
      ours(() => {
        const all = keys(count, 'a server with spaces')
        return () => createNameMap(all, { limit: 48 }).size
      }),
    ],
  },
  {
    name: 'read a lock and verify its digests',
    isRight: (answer) => Number(answer) > 0,
    contestants: (count) => [
      ours(() => {
        const text = formatLock({ lockVersion: 1, servers: [lockOf(surfaceOf(count))], extra: {} })
        return () => parseLock(text).servers[0]?.tools.size
      }),
    ],
  },
  {
    name: 'scan a surface',
    isRight: (answer) => answer === 0,
    contestants: (count) => [
      ours(() => {
        const surface = surfaceOf(count)
        return () => scanSurface(surface, { server: 'kb' }).length
      }),
    ],
  },
]

const sizes = [2_500, 5_000, 10_000] as const

export const suite: Suite = {
  title: 'Names, digests, lock, drift and scan',
  run: (context) => {
    const rows = tasks.flatMap((task) => measure(task, context))
    const size = JSON.stringify(tool(0)).length
    return `Milliseconds of processor time for all tools of a catalogue (${size} bytes each) at three sizes, medians of the rounds; the last
column is the time of 10,000 over the time of 2,500, which is 4 where growth is linear. \`canonicalize\` with SHA-256 is
what most would write first; it refuses unpaired surrogates, which the tool definition hash defines, so it could not be
used as it is. Where \`node:crypto\` hashes, the two are level; our default is slower than that, because it also has to
run in a browser. Name maps take a little more than linear time: the work is linear, but larger hash tables miss the
processor's caches more often.

${table(['', '', '2,500', '5,000', '10,000', 'budget at 10,000', 'growth'], rows)}`
  },
}

function measure({ name, budgetMs, isRight, contestants }: Task, { quick, log }: SuiteContext): string[][] {
  const bySize = sizes.map((count) => {
    log(`${name}: ${count}`)
    const contest: Contest = { name, isRight, contestants: contestants(count) }
    return compare(contest, quick ? { rounds: 3, sliceMs: 1 } : { rounds: 9, sliceMs: 20 }).standings
  })
  return (bySize[0] ?? []).map(({ name: who }, index) => {
    const times = bySize.map((standings) => {
      const standing = standings.find((one) => one.name === who)
      return standing?.right ? 1000 / standing.perSecond : Number.NaN
    })
    const last = times.at(-1) ?? Number.NaN
    const isOurs = who === 'ours'
    const budget =
      !isOurs || budgetMs === undefined
        ? ''
        : last < budgetMs
          ? `under ${budgetMs}`
          : `**over ${budgetMs}** (a loss)`
    return [
      index === 0 ? name : '',
      who,
      ...times.map((time) => time.toFixed(time < 10 ? 1 : 0)),
      budget,
      (last / (times[0] ?? Number.NaN)).toFixed(1),
    ]
  })
}
