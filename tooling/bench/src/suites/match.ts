import { isDeepStrictEqual } from 'node:util'
import { matchTemplate } from '@truename/template-matcher'
import { parseTemplate } from '@truename/uri-codec'
import { type Comparison, type Contestant, compare } from '../lib/compare.ts'
import { matrixTable, summaryTable } from '../lib/markdown.ts'
import { type MatchingPeer, matchingPeers } from '../lib/matching-peers.ts'
import type { Suite } from '../lib/suite.ts'

const ours: MatchingPeer = {
  name: 'ours',
  prepare: (source) => {
    const template = parseTemplate(source)
    return (uri) => matchTemplate(template, uri)?.values
  },
}

const han = '季度报告'
/** Name, template, URI, and the values that expand to it, written out. */
const cases: readonly (readonly [name: string, template: string, uri: string, values: object])[] = [
  ['simple', 'docs://catalog/{name}', 'docs://catalog/readme', { name: 'readme' }],
  [
    'non-ASCII',
    'docs://catalog/{name}',
    'docs://catalog/%D0%9E%D1%82%D1%87%D1%91%D1%82%20%D0%BC%D0%B0%D0%B9%2F%D0%B8%D1%8E%D0%BD%D1%8C',
    { name: 'Отчёт май/июнь' },
  ],
  ['reserved', 'file:///{+path}', 'file:///docs/guide/intro.md', { path: 'docs/guide/intro.md' }],
  [
    'query',
    'list://goods{?page,limit,q}',
    'list://goods?page=3&limit=20&q=red%20shoes',
    { page: '3', limit: '20', q: 'red shoes' },
  ],
  [
    'mixed',
    'https://{host}/{org}/repos{/repo}{/path*}{?ref,token}{#line}',
    'https://git.example/acme/repos/site/src/a%20b.ts?ref=main#L10',
    { host: 'git.example', org: 'acme', repo: 'site', path: ['src', 'a b.ts'], ref: 'main', line: 'L10' },
  ],
  ['explode', 'x:{/list*}', 'x:/red/green/blue', { list: ['red', 'green', 'blue'] }],
  ['4,000 characters', 'x:{v}', `x:${'abcdefgh'.repeat(500)}`, { v: 'abcdefgh'.repeat(500) }],
  [
    '4,000 of Han',
    'x:{v}',
    `x:${'%E5%AD%A3%E5%BA%A6%E6%8A%A5%E5%91%8A'.repeat(1000)}`,
    { v: han.repeat(1000) },
  ],
]

/** Whether an answer holds these values; peers differ in prototypes and in how they write what is absent. */
function holds(answer: unknown, values: object): boolean {
  if (typeof answer !== 'object' || answer === null) return false
  const found = Object.entries(answer).filter(([, value]) => value !== undefined)
  return isDeepStrictEqual(Object.fromEntries(found), values)
}

export const suite: Suite = {
  title: 'Matching one template',
  run: ({ quick, log }) => {
    const options = quick ? { rounds: 11, sliceMs: 4 } : {}
    const comparisons: Comparison[] = cases.map(([name, template, uri, values]) => {
      log(`match ${name}`)
      const contestants = [ours, ...matchingPeers].map(
        (peer): Contestant => ({
          name: peer.name,
          ours: peer === ours,
          prepare: () => {
            const match = peer.prepare(template)
            return () => match(uri)
          },
        }),
      )
      return compare({ name, isRight: (answer) => holds(answer, values), contestants }, options)
    })
    return `A parsed template and a URI that it expands to; the answer is the decoded values. Wanted is 1.5 times the fastest peer
that answers rightly.

${summaryTable(comparisons, 1.5)}

How many times as fast ours is:

${matrixTable(comparisons)}`
  },
}
