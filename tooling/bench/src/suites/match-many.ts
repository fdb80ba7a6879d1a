import { createTemplateSet } from '@truename/template-matcher'
import findMyWay from 'find-my-way'
import { type Comparison, compare } from '../lib/compare.ts'
import { perSecond, summaryTable, table } from '../lib/markdown.ts'
import type { Suite } from '../lib/suite.ts'

/** A family of templates, and the paths that are the same to a router of paths. */
interface Family {
  readonly name: string
  readonly template: (at: number) => string
  readonly uri: (at: number) => string
  readonly route: (at: number) => string
  readonly path: (at: number) => string
}

const families: readonly Family[] = [
  {
    name: 'db://{database}/t{i}/{id}',
    template: (at) => `db://{database}/t${at}/{id}`,
    uri: (at) => `db://main/t${at}/42`,
    route: (at) => `/db/:database/t${at}/:id`,
    path: (at) => `/db/main/t${at}/42`,
  },
  {
    name: 'scheme{i}://host/{a}/x{i}/{b}',
    template: (at) => `scheme${at}://host/{a}/x${at}/{b}`,
    uri: (at) => `scheme${at}://host/foo/x${at}/bar`,
    route: (at) => `/scheme${at}/host/:a/x${at}/:b`,
    path: (at) => `/scheme${at}/host/foo/x${at}/bar`,
  },
  {
    name: 'file:///dept{i}/{name}',
    template: (at) => `file:///dept${at}/{name}`,
    uri: (at) => `file:///dept${at}/report.pdf`,
    route: (at) => `/file/dept${at}/:name`,
    path: (at) => `/file/dept${at}/report.pdf`,
  },
]

const asked = 1000
const spread = (count: number, of: (at: number) => string): string[] =>
  Array.from({ length: asked }, (_, at) => of((at * 7919) % count))

function inTurn<T>(items: readonly T[], run: (item: T) => unknown): () => unknown {
  let at = 0
  return () => {
    at = at + 1 === items.length ? 0 : at + 1
    return run(items[at]!)
  }
}

function setOf(count: number, { template }: Family) {
  const set = createTemplateSet<number>()
  for (let at = 0; at < count; at += 1) set.add(template(at), at)
  return set
}

/** Milliseconds of processor time. */
function timeOf(run: () => unknown): number {
  const started = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(started)
  return (user + system) / 1000
}

const best = (run: () => unknown, times: number): number =>
  Math.min(...Array.from({ length: times }, () => timeOf(run)))

function compareHits(family: Family, count: number, options: object): Comparison {
  return compare(
    {
      name: `${family.name}, ${count.toLocaleString('en')} templates`,
      isRight: (answer) => typeof answer === 'object' && answer !== null,
      contestants: [
        {
          name: 'ours',
          ours: true,
          prepare: () => {
            const set = setOf(count, family)
            for (let at = 0; at < count; at += 1)
              if (set.match(family.uri(at))?.data !== at) throw new Error('wrong template')
            return inTurn(spread(count, family.uri), (uri) => set.match(uri))
          },
        },
        {
          name: 'find-my-way (paths)',
          prepare: () => {
            const router = findMyWay()
            for (let at = 0; at < count; at += 1) router.on('GET', family.route(at), () => at)
            return inTurn(spread(count, family.path), (path) => router.find('GET', path))
          },
        },
      ],
    },
    options,
  )
}

/** How ours compares with itself: hits among few and many, hits and misses. */
function compareOurs(family: Family, options: object): readonly [few: number, many: number, miss: number] {
  const few = setOf(10, family)
  const many = setOf(10_000, family)
  const of = (name: string, prepare: () => () => unknown) => ({ name, prepare, ours: name === 'many' })
  const { standings } = compare(
    {
      name: family.name,
      isRight: () => true,
      contestants: [
        of('many', () => inTurn(spread(10_000, family.uri), (uri) => many.match(uri))),
        of('few', () => inTurn(spread(10, family.uri), (uri) => few.match(uri))),
        of('miss', () =>
          inTurn(
            spread(10_000, (at) => `${family.uri(at)}/x`),
            (uri) => many.match(uri),
          ),
        ),
      ],
    },
    options,
  )
  const speed = (name: string): number => {
    const standing = standings.find((each) => each.name === name)
    return standing?.right ? standing.perSecond : Number.NaN
  }
  return [speed('few'), speed('many'), speed('miss')]
}

export const suite: Suite = {
  title: 'Matching many templates',
  run: ({ quick, log }) => {
    const options = quick ? { rounds: 11, sliceMs: 4 } : {}
    const comparisons = families.flatMap((family) =>
      [10, 1000, 10_000].map((count) => {
        log(`${family.name} ${count}`)
        return compareHits(family, count, options)
      }),
    )
    const rows = families.map((family) => {
      log(`${family.name} scaling`)
      const [few, many, miss] = compareOurs(family, options)
      return [
        family.name,
        perSecond(few),
        perSecond(many),
        `${(few / many).toFixed(2)}×`,
        perSecond(miss),
        `${(many / miss).toFixed(2)}×`,
        `${best(() => setOf(10_000, family), quick ? 3 : 9).toFixed(0)} ms`,
      ]
    })
    const apart = createTemplateSet<number>()
    for (let at = 0; at < 1000; at += 1) apart.add(`db://{database}/t${at}/{id}`, at)
    for (let at = 0; at < 20; at += 1) apart.add(`db://{database}/t${at}/{id}/x{?q}`, at)
    apart.add('db://{database}/t7/{key}', 0)
    if (apart.conflicts().length !== 1) throw new Error('conflicts() is wrong')
    const conflicts = best(() => apart.conflicts(), 3)
    return `1,000 URIs in turn, each answered with the template's data and the decoded values. find-my-way is no URI template
library: it routes the equivalent paths, and is the speed to reach.

${summaryTable(comparisons)}

Ours against itself; wanted are less than 2× from 10 to 10,000 templates, misses no slower than hits, and 10,000 templates
added in under 100 ms:

${table(['', '10 templates', '10,000', 'cost', 'misses at 10,000', 'a miss costs', 'adding 10,000'], rows)}

\`conflicts()\` over 1,021 templates of which one pair overlaps: ${conflicts.toFixed(0)} ms of processor time.`
  },
}
