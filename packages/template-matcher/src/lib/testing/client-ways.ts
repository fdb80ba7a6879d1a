import type { TemplateValue, TemplateValues } from '@truename/uri-codec'
import { parseLeniently } from '../to-template.ts'
import { createRandom, randomTemplate, tryExpand } from './brute-force.ts'

// Help for tests: what clients mean, and how they write it.

/** The template with each expression as `write` writes what it expands to. */
export const written = (
  template: string,
  values: TemplateValues,
  write: (text: string) => string,
  writeLiteral: (text: string) => string = (text) => tryExpand(text, {}) ?? encodeURI(text),
): string =>
  template.replace(/\{[^}]*\}|[^{]+/g, (piece) =>
    piece[0] === '{' ? write(tryExpand(piece, values) ?? '') : writeLiteral(piece),
  )

export const inAnotherOrder = (uri: string): string =>
  uri.replace(/\?([^#]*)/, (_all, query: string) => `?${query.split('&').reverse().join('&')}`)

const inCapitals = (uri: string): string => uri.replace(/^[a-z]+/, (scheme) => scheme.toUpperCase())

/** The values with each text changed. */
const changed = (values: TemplateValues, change: (text: string) => string): TemplateValues =>
  JSON.parse(JSON.stringify(values), (key, value) =>
    typeof value === 'string' && key !== '' ? change(value) : value,
  )

const composedOtherwise = (text: string): string =>
  text.normalize('NFD') === text ? text.normalize() : text.normalize('NFD')

/** How clients write what they mean: the URI, and the mistakes that may be named; none where it is no mistake. */
export const ways: {
  readonly [way: string]: readonly [
    write: (template: string, values: TemplateValues, right: string) => string | undefined,
    ...codes: string[],
  ]
} = {
  exactly: [(_template, _values, right) => right],
  'with the scheme in capitals': [(_template, _values, right) => inCapitals(right)],
  'with digits in lower case': [
    (_template, _values, right) => right.replace(/%../g, (triplet) => triplet.toLowerCase()),
  ],
  'with needless triplets': [
    (template, values) => written(template, values, (text) => text.replace(/(?<!%.?)a/g, '%61')),
  ],
  'with the query in another order': [(_template, _values, right) => inAnotherOrder(right)],
  'with literals as they are': [
    (template, values) =>
      written(
        template,
        values,
        (text) => text,
        (literal) => literal,
      ),
  ],
  'with values as they are': [
    (template, values) => written(template, values, decodeURIComponent),
    'not-encoded',
    'raw-slash',
  ],
  'with a plus for a space': [
    (template, values) => written(template, values, (text) => text.replaceAll('%20', '+')),
    'plus-for-space',
  ],
  'with a plus for a space, and all else as it is': [
    (template, values) => written(template, values, (text) => decodeURIComponent(text).replaceAll(' ', '+')),
    'plus-for-space',
    'not-encoded',
    'raw-slash',
  ],
  'with a plus for a space, in another order, with the scheme in capitals': [
    (template, values) =>
      inCapitals(inAnotherOrder(written(template, values, (text) => text.replaceAll('%20', '+')))),
    'plus-for-space',
  ],
  'with what was encoded encoded again': [
    (template, values) => written(template, values, (text) => text.replaceAll('%', '%25')),
    'double-encoding',
  ],
  'with values that were encoded before': [
    (template, values) => tryExpand(template, changed(values, encodeURIComponent)),
    'double-encoding',
    'reserved-encoded',
  ],
  'encoded as a whole': [(_template, _values, right) => encodeURIComponent(right), 'whole-uri-encoded'],
  'encoded as a whole, twice': [
    (_template, _values, right) => encodeURIComponent(encodeURIComponent(right)),
    'whole-uri-encoded',
  ],
  'encoded as a whole, with a plus for a space': [
    (template, values) =>
      encodeURIComponent(written(template, values, (text) => text.replaceAll('%20', '+'))),
    'whole-uri-encoded',
    'plus-for-space',
  ],
  'in another normalization form': [
    (template, values) => tryExpand(template, changed(values, composedOtherwise)),
    'normalization',
  ],
  'in another case': [
    (template, values) =>
      tryExpand(
        template,
        changed(values, (text) => text.toUpperCase()),
      ),
    'case-changed',
  ],
}

const texts = [
  'a',
  'Ab',
  'a b',
  'a/b',
  'a+b',
  'a+ b/c',
  '100%',
  '%41',
  '%2F',
  'é',
  'e\u0301 a',
  'a?b#c',
  'a&b=c',
  'a,b',
  'Отчёт май/июнь',
  '😀/%',
]

const handPicked = [
  'file:///{v}',
  'docs://{v}',
  'list://g{?v,w}',
  'x:my docs/{v}',
  'x:café/{v}{?w,x}',
  'x:{+v}',
  'x:a{/v}/z',
  'x:{/v*}',
  'x:q{?v*}',
  'y:{;v}',
  'x:{v}/{w}',
  'x:{v,w}',
  'x:{+v}/b{?w}',
]

/** Templates, with values to expand them with. */
export function* meant(
  seed: number,
  count: number,
): Generator<readonly [template: string, values: TemplateValues]> {
  const random = createRandom(seed)
  const some = <T>(of: readonly T[]): T => of[random(of.length)]!
  for (let tried = 0; tried < count; tried += 1) {
    const template = random(2) === 0 ? some(handPicked) : `s:${randomTemplate(random, false)}`
    const values: Record<string, TemplateValue> = {}
    for (const name of parseLeniently(template).variables)
      values[name] = new RegExp(`[{+#./;?&,]${name}\\*`).test(template)
        ? some([[some(texts)], [some(texts), some(texts)], { b: some(texts), a: some(texts) }])
        : some(texts)
    // A list cannot be cut.
    if (tryExpand(parseLeniently(template).source.replace(/[^{}]+(?=\{|$)/g, ''), values) !== undefined)
      yield [template, values]
  }
}
