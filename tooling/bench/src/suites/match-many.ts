import { isDeepStrictEqual } from 'node:util'
import { createTemplateSet, type TemplateSet } from '@truename/template-matcher'
import findMyWay from 'find-my-way'
import { type Comparison, compare, quantile } from '../lib/compare.ts'
import { perSecond, summaryTable, table } from '../lib/markdown.ts'
import type { Suite } from '../lib/suite.ts'

/** The values of a match, by variable. */
type Values = Readonly<Record<string, unknown>>

/** A family of templates, and the paths that are the same to a router of paths. */
interface Family {
  readonly name: string
  readonly template: (at: number) => string
  readonly uri: (at: number, value: string) => string
  readonly route: (at: number) => string
  readonly path: (at: number, value: string) => string
  /** What the last value of each must be, and the others. */
  readonly values: (value: string) => Values
  /** Looks at every value. */
  readonly look: (values: Values) => number
}

const sizeOf = (value: unknown): number => (value as string).length

const families: readonly Family[] = [
  {
    name: 'db://{database}/t{i}/{id}',
    template: (at) => `db://{database}/t${at}/{id}`,
    uri: (at, value) => `db://main/t${at}/${value}`,
    route: (at) => `/db/:database/t${at}/:id`,
    path: (at, value) => `/db/main/t${at}/${value}`,
    values: (id) => ({ database: 'main', id }),
    look: ({ database, id }) => sizeOf(database) + sizeOf(id),
  },
  {
    name: 'scheme{i}://host/{a}/x{i}/{b}',
    template: (at) => `scheme${at}://host/{a}/x${at}/{b}`,
    uri: (at, value) => `scheme${at}://host/foo/x${at}/${value}`,
    route: (at) => `/scheme${at}/host/:a/x${at}/:b`,
    path: (at, value) => `/scheme${at}/host/foo/x${at}/${value}`,
    values: (b) => ({ a: 'foo', b }),
    look: ({ a, b }) => sizeOf(a) + sizeOf(b),
  },
  {
    name: 'file:///dept{i}/{name}',
    template: (at) => `file:///dept${at}/{name}`,
    uri: (at, value) => `file:///dept${at}/${value}`,
    route: (at) => `/file/dept${at}/:name`,
    path: (at, value) => `/file/dept${at}/${value}`,
    values: (name) => ({ name }),
    look: ({ name }) => sizeOf(name),
  },
]

const most = 10_000
const asked = 1000
/** A text as it comes from a socket: whole, not two halves that are still to be joined. */
const received = (text: string): string => Buffer.from(text).toString('latin1')
/** As many different texts whatever the number of templates, so that this number is all that differs. */
const spread = (count: number, of: (at: number, value: string) => string): string[] =>
  Array.from({ length: asked }, (_, at) => received(of((at * 7919) % count, `value${1000 + at}`)))

let looked = 0

/** The operation: the next text is answered, and the answer's data and every value looked at. */
function inTurn<Answer>(
  texts: readonly string[],
  answer: (text: string) => Answer,
  look: (answer: NonNullable<Answer>) => number,
): () => unknown {
  let at = 0
  return () => {
    at = at + 1 === texts.length ? 0 : at + 1
    const found = answer(texts[at]!)
    looked = (looked + (found === null || found === undefined ? 1 : look(found))) | 0
    return found
  }
}

/** Not 0: find-my-way takes that for no data. */
const dataOf = (at: number): number => at + 1

function setOf(count: number, { template }: Family) {
  const set = createTemplateSet<number>()
  for (let at = 0; at < count; at += 1) set.add(template(at), dataOf(at))
  return set
}

const hits = (set: TemplateSet<number>, count: number, { uri, look }: Family) =>
  inTurn(
    spread(count, uri),
    (text) => set.match(text),
    ({ data, values }) => data + look(values),
  )

/** Milliseconds of processor time. */
function timeOf(run: () => unknown): number {
  const started = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(started)
  return (user + system) / 1000
}

const median = (run: () => unknown, times: number): number =>
  quantile(Array.from({ length: times }, () => timeOf(run)))

function check(
  found: { readonly data: unknown; readonly values: object } | undefined,
  at: number,
  values: Values,
) {
  if (found?.data !== dataOf(at) || !isDeepStrictEqual({ ...found.values }, values))
    throw new Error('wrong answer')
}

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
              check(set.match(family.uri(at, 'right')), at, family.values('right'))
            return hits(set, count, family)
          },
        },
        {
          name: 'find-my-way (paths)',
          prepare: () => {
            const router = findMyWay()
            const handler = () => {}
            for (let at = 0; at < count; at += 1) router.on('GET', family.route(at), handler, dataOf(at))
            const find = (path: string) => router.find('GET', path)
            for (let at = 0; at < count; at += 1) {
              const found = find(family.path(at, 'right'))
              check(
                found === null ? undefined : { data: found.store, values: found.params },
                at,
                family.values('right'),
              )
            }
            return inTurn(
              spread(count, family.path),
              find,
              ({ store, params }) => (store as number) + family.look(params),
            )
          },
        },
      ],
    },
    options,
  )
}

/** The family with ten numbers from among those of the many templates, so that its texts are as long as theirs. */
function fewOf(family: Family): Family {
  const number = (at: number): number => at * (most / 10) + most / 10 - 1
  return {
    ...family,
    template: (at) => family.template(number(at)),
    uri: (at, value) => family.uri(number(at), value),
  }
}

/** How ours compares with itself: hits among few and many, hits and misses; speeds, and what the costs are within a round. */
function compareOurs(family: Family, options: object) {
  const fewFamily = fewOf(family)
  const few = setOf(10, fewFamily)
  const many = setOf(most, family)
  const contestant = (name: string, prepare: () => () => unknown) => ({
    name,
    prepare,
    ours: name === 'many',
  })
  const { standings } = compare(
    {
      name: family.name,
      isRight: () => true,
      contestants: [
        contestant('many', () => hits(many, most, family)),
        contestant('few', () => hits(few, 10, fewFamily)),
        contestant('miss', () =>
          hits(many, most, { ...family, uri: (at, value) => `${family.uri(at, value)}/x` }),
        ),
      ],
    },
    options,
  )
  const of = (name: string) => {
    const standing = standings.find((each) => each.name === name)
    return standing?.right
      ? { speed: perSecond(standing.perSecond), relative: standing.relative }
      : { speed: '-', relative: Number.NaN }
  }
  return { few: of('few'), many: of('many'), miss: of('miss') }
}

/** Milliseconds of adding 10,000 templates up to the first match: nothing is put off beyond it. */
const buildTime = (family: Family, times: number): number =>
  median(() => setOf(most, family).match(family.uri(1, 'first')), times)

export const suite: Suite = {
  title: 'Matching many templates',
  run: ({ quick, log }) => {
    const options = quick ? { rounds: 11, sliceMs: 4 } : {}
    const comparisons = families.flatMap((family) =>
      [10, 1000, most].map((count) => {
        log(`${family.name} ${count}`)
        return compareHits(family, count, options)
      }),
    )
    const rows = families.map((family) => {
      log(`${family.name} scaling`)
      const { few, many, miss } = compareOurs(family, { rounds: 101, ...options })
      return [
        family.name,
        few.speed,
        many.speed,
        `${few.relative.toFixed(2)}×`,
        miss.speed,
        `${(1 / miss.relative).toFixed(2)}×`,
        `${buildTime(family, quick ? 3 : 9).toFixed(0)} ms`,
      ]
    })
    const apart = createTemplateSet<number>()
    for (let at = 0; at < 1000; at += 1) apart.add(`db://{database}/t${at}/{id}`, at)
    for (let at = 0; at < 20; at += 1) apart.add(`db://{database}/t${at}/{id}/x{?q}`, at)
    apart.add('db://{database}/t7/{key}', 0)
    if (apart.conflicts().length !== 1) throw new Error('conflicts() is wrong')
    const conflicts = median(() => apart.conflicts(), 3)
    return `1,000 different URIs in turn, each answered with the template's data and the decoded values, all of which are looked
at. find-my-way is no URI template library: it routes the equivalent paths, and is the speed to reach.

${summaryTable(comparisons)}

Ours against itself, with as many different URIs for 10 templates as for 10,000, and as long ones; wanted are less than
2× from 10 to 10,000 templates, misses no slower than hits, and under 100 ms for adding 10,000 templates to an empty set
and the first match:

${table(['', '10 templates', '10,000', 'cost', 'misses at 10,000', 'a miss costs', 'adding 10,000, first match'], rows)}

\`conflicts()\` over 1,021 templates of which one pair overlaps: ${conflicts.toFixed(0)} ms of processor time.`
  },
}
