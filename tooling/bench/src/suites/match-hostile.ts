import { matchTemplate } from '@truename/template-matcher'
import { parseTemplate } from '@truename/uri-codec'
import { table } from '../lib/markdown.ts'
import type { Suite } from '../lib/suite.ts'

const many = (count: number, of: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => of(at)).join('')

/** What the template is hard for, the template, and a URI of about this length that it nearly matches. */
const cases: readonly (readonly [name: string, template: string, uri: (size: number) => string])[] = [
  ['adjacent variables', 'x://{a}{b}!', (size) => `x://${'a'.repeat(size)}`],
  ['256 adjacent variables', `x:${many(256, (at) => `{v${at}}`)}!`, (size) => `x:${'a'.repeat(size)}`],
  ['several {+v}', 'x://{+a}/{+b}/{+c}/{+d}', (size) => `x://${'a/'.repeat(size / 2)}\n`],
  ['exploded lists', '/u{/id*}{/more*}', (size) => `/u/${'a,'.repeat(size / 2)}b/x/`],
  ['a long prefix', 'x:{+a}{v:9999}{+b}!', (size) => `x:${'a'.repeat(size)}`],
  [
    'repeated variables',
    'x:{a}{b}/{a}{b}/{a}!',
    (size) => `x:${'a'.repeat(size / 2)}/${'a'.repeat(size / 2)}/`,
  ],
  ['maps', 'x:{a*}{b*}{c*}!', (size) => `x:${'k=1,'.repeat(size / 4)}`],
]

const sizes = [16, 64, 256].map((kib) => kib * 1024)

function milliseconds(run: () => unknown): number {
  const started = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(started)
  return (user + system) / 1000
}

export const suite: Suite = {
  title: 'Matching hostile input',
  run: ({ quick, log }) => {
    const rows = cases.map(([name, source, uri]) => {
      log(name)
      const template = parseTemplate(source)
      const of = quick ? sizes.slice(0, 2) : sizes
      const times = of.map((size) => {
        const text = uri(size).slice(0, 1 << 20)
        let answer = ''
        const time = milliseconds(() => {
          try {
            answer = matchTemplate(template, text) === undefined ? '' : ' (matched)'
          } catch (error) {
            answer = ` (${(error as { code: string }).code})`
          }
        })
        return `${time.toFixed(time < 10 ? 1 : 0)} ms${answer}`
      })
      return [name, `\`${source.length > 40 ? `${source.slice(0, 24)}…` : source}\``, ...times]
    })
    return `One match each, with the default limits, of a URI that nearly matches. Each column is four times as long as the one before;
a row that grows by more than about four from column to column would not be linear. Steps, which are linear by test, are
counted in \`limits.test.ts\` of the package.

${table(['', 'template', ...(quick ? sizes.slice(0, 2) : sizes).map((size) => `${size / 1024} KiB`)], rows)}`
  },
}
