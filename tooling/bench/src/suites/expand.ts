import { expandTemplate, parseTemplate } from '@truename/uri-codec'
import { type Comparison, type Contestant, compare } from '../lib/compare.ts'
import { matrixTable, summaryTable, table } from '../lib/markdown.ts'
import { type TemplatePeer, templatePeers, type Values } from '../lib/peers.ts'
import { publicCases } from '../lib/public-cases.ts'
import type { Suite } from '../lib/suite.ts'

const ours: TemplatePeer = {
  name: 'ours',
  parse: (source) => {
    const template = parseTemplate(source)
    return { expand: (values) => expandTemplate(template, values as never) }
  },
}

const mixed = 'https://{host}/{org}/repos{/repo}{/path*}{?ref,token}{#line}'

/** Name, template, values, and the URI that RFC 6570 says, written out. */
const cases: readonly (readonly [name: string, template: string, values: Values, uri: string])[] = [
  ['simple', 'docs://catalog/{name}', { name: 'readme' }, 'docs://catalog/readme'],
  [
    'non-ASCII',
    'docs://catalog/{name}',
    { name: 'Отчёт май/июнь' },
    'docs://catalog/%D0%9E%D1%82%D1%87%D1%91%D1%82%20%D0%BC%D0%B0%D0%B9%2F%D0%B8%D1%8E%D0%BD%D1%8C',
  ],
  ['reserved', 'file:///{+path}', { path: 'docs/guide/intro.md' }, 'file:///docs/guide/intro.md'],
  [
    'query',
    'list://goods{?page,limit,q}',
    { page: 3, limit: '20', q: 'red shoes' },
    'list://goods?page=3&limit=20&q=red%20shoes',
  ],
  [
    'mixed',
    mixed,
    { host: 'git.example', org: 'acme', repo: 'site', path: ['src', 'a b.ts'], ref: 'main', line: 'L10' },
    'https://git.example/acme/repos/site/src/a%20b.ts?ref=main#L10',
  ],
  [
    'explode',
    'x:{/list*}{?map*}',
    { list: ['red', 'green', 'blue'], map: { semi: ';', dot: '.', comma: ',' } },
    'x:/red/green/blue?semi=%3B&dot=.&comma=%2C',
  ],
  ['4,000 characters', 'x:{v}', { v: 'abcdefgh'.repeat(500) }, `x:${'abcdefgh'.repeat(500)}`],
  ['4,000 with spaces', 'x:{v}', { v: 'abcde fg'.repeat(500) }, `x:${'abcde%20fg'.repeat(500)}`],
  [
    '4,000 of Han',
    'x:{v}',
    { v: '季度报告'.repeat(1000) },
    `x:${'%E5%AD%A3%E5%BA%A6%E6%8A%A5%E5%91%8A'.repeat(1000)}`,
  ],
]

/** How many cases of the public suite each library answers rightly, and how many templates it refuses rightly. */
export function scores(peers: readonly TemplatePeer[]) {
  const all = publicCases()
  return peers.map((peer) => {
    let right = 0
    let refused = 0
    for (const { template, values, expected } of all) {
      let answer: string | undefined
      try {
        answer = peer.parse(template).expand(values)
      } catch {
        answer = undefined
      }
      if (expected === false ? answer === undefined : answer !== undefined && expected.includes(answer))
        right += 1
      if (expected === false && answer === undefined) refused += 1
    }
    const negative = all.filter(({ expected }) => expected === false).length
    return { peer, right, refused, of: all.length, negative }
  })
}

export const suite: Suite = {
  title: 'Expanding and parsing templates',
  run: ({ quick, log }) => {
    const peers = [ours, ...templatePeers]
    const options = quick ? { rounds: 11, sliceMs: 4 } : {}
    const score = scores(peers)

    const expansions: Comparison[] = cases.map(([name, template, values, uri]) => {
      log(`expand ${name}`)
      const contestants = peers.map((peer): Contestant => {
        return {
          name: peer.name,
          ours: peer === ours,
          prepare: () => {
            const parsed = peer.parse(template)
            return () => parsed.expand(values)
          },
        }
      })
      return compare({ name, isRight: (answer) => answer === uri, contestants }, options)
    })

    // A parser is worth comparing with where it refuses what it must: at least 34 of the 36 negative cases.
    const strict = score.filter(({ peer, refused, negative }) => peer === ours || refused >= negative - 2)
    const parses = ['simple', 'query', 'mixed'].map((name) => {
      log(`parse ${name}`)
      const [, template, values, uri] = cases.find(([each]) => each === name)!
      const contestants = score
        .filter(({ peer }) => peer.oneStep !== true)
        .map(
          ({ peer }): Contestant => ({
            name: peer.name,
            ours: peer === ours,
            prepare: () => () => peer.parse(template),
          }),
        )
      const expands = (answer: unknown) =>
        (answer as ReturnType<TemplatePeer['parse']>).expand(values) === uri
      return compare({ name, isRight: expands, contestants }, options)
    })
    const strictNames = new Set(strict.map(({ peer }) => peer.name))
    const strictOnly = parses.map(({ name, standings }) => ({
      name,
      standings: standings.filter((standing) => strictNames.has(standing.name)),
    }))

    return `How many of the ${score[0]!.of} cases of the public test suite each library answers rightly, and how many of the ${score[0]!.negative}
templates that must be refused it refuses, in this run:

${table(
  ['', 'right', 'refused'],
  score.map(({ peer, right, refused }) => [peer.name, String(right), String(refused)]),
)}

### Expansion of a parsed template

Libraries without a parse of their own (std-uritemplate, url-template, uri-template-matcher) read the template each time.

${summaryTable(expansions)}

How many times as fast ours is:

${matrixTable(expansions)}

### Parsing

Against those that refuse at least ${score[0]!.negative - 2} of the ${score[0]!.negative} templates they must refuse:

${summaryTable(strictOnly)}

Against all that parse:

${matrixTable(parses)}`
  },
}
