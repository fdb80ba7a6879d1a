import fc from 'fast-check'
import { parse } from 'uri-template'
import { describe, expect, it } from 'vitest'
import { expandTemplate, type TemplateValue, type TemplateValues } from './expand-template.ts'
import { type FormatNode, formatTemplate } from './format-template.ts'
import { parseTemplate } from './parse-template.ts'
import type { Operator, VariableSpec } from './template.ts'

/** One use of a value: by which operator and variable specification. */
interface Use {
  readonly operator: Operator
  readonly spec: VariableSpec
  readonly value: TemplateValue
}

interface Fault {
  /** What uri-template 2.0.0 does, and the section of RFC 6570 that decides otherwise. */
  readonly what: string
  /** Whether a use meets the fault. Outside of these uses both must agree. */
  readonly meets: (use: Use, texts: readonly string[]) => boolean
  /** Template, values, its answer, the right answer. */
  readonly shown: readonly [template: string, values: TemplateValues, theirs: string, right: string]
}

const isComposite = (
  value: TemplateValue,
): value is Exclude<TemplateValue, string | number | boolean | bigint | null | undefined> =>
  typeof value === 'object' && value !== null

/** The pinned list. An entry goes when its answer becomes right; a disagreement outside of it fails the test. */
const faults: readonly Fault[] = [
  {
    what: 'encodes surrogates one by one (1.6 and 3.1: UTF-8)',
    meets: (_, texts) => texts.some((text) => /[\ud800-\udfff]/.test(text)),
    shown: ['{v}', { v: '😀' }, '%ED%A0%BD%ED%B8%80', '%F0%9F%98%80'],
  },
  {
    what: 'writes controls below U+0010 with one digit (1.5: pct-encoded)',
    meets: (_, texts) => texts.some((text) => /[\0-\x0f]/.test(text)),
    shown: ['{v}', { v: '\u0002F' }, '%2F', '%02F'],
  },
  {
    what: 'encodes triplets with a letter again (3.2.3: reserved expansion keeps triplets)',
    meets: ({ operator }, texts) =>
      '+#'.includes(operator) && operator !== '' && texts.some((text) => /%(?!\d\d)[\da-f]{2}/i.test(text)),
    shown: ['{+v}', { v: 'a%2Fb' }, 'a%252Fb', 'a%2Fb'],
  },
  {
    what: 'drops a path segment that is empty (3.2.6: "/" before each defined value)',
    meets: ({ operator }, texts) => operator === '/' && texts.includes(''),
    shown: ['{/v}', { v: '' }, '', '/'],
  },
  {
    what: 'writes "=" after a parameter that is empty (3.2.7: ifemp of ";")',
    meets: ({ operator, spec, value }, texts) =>
      operator === ';' && spec.explode && isComposite(value) && texts.includes(''),
    shown: ['{;v*}', { v: ['a', ''] }, ';v=a;v=', ';v=a;v'],
  },
  {
    what: 'leaves out the name of an exploded text (3.2.1: explode matters to lists and maps only)',
    meets: ({ operator, spec, value }) =>
      /[;?&]/.test(operator) && spec.explode && value !== undefined && value !== null && !isComposite(value),
    shown: ['{?v*}', { v: 'a' }, '?a', '?v=a'],
  },
  {
    what: 'writes members that are undefined (3.2.1: only defined ones)',
    meets: ({ value }) => isComposite(value) && Object.values(value).some((member) => member === null),
    shown: ['{v}', { v: ['a', null] }, 'a,null', 'a'],
  },
  {
    what: 'reads inherited properties (2.3 and 3.2.1: a variable without a value is undefined)',
    meets: ({ spec, value }) => value === undefined && spec.name in {},
    shown: ['{toString}', {}, 'function%20toString%28%29%20%7B%20%5Bnative%20code%5D%20%7D', ''],
  },
]

/** What uri-template refuses or takes in a template otherwise than RFC 6570 has it. */
const grammarFaults = {
  taken: ['{x..y}', '{v:10000}', '{v:0}', '{v:01}', 'a b{v}', 'a%{v}', 'a}b'],
  leftUnencoded: ['é{v}'],
} as const

const textsOf = (value: TemplateValue): string[] => {
  if (value === null || value === undefined) return []
  return isComposite(value)
    ? [...(Array.isArray(value) ? [] : Object.keys(value)), ...Object.values(value).map(String)]
    : [String(value)]
}

const text = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: fc.constantFrom(...'ab1 /?#&=+,;%é季~!*"<'), maxLength: 6 }) },
  { weight: 1, arbitrary: fc.constantFrom('😀x', '\t', 'a%2Fb', '%20', '%41', '', 'C%c3%A9') },
)
const scalar = fc.oneof(text, fc.integer(), fc.boolean())
const member = fc.oneof({ weight: 9, arbitrary: scalar }, { weight: 1, arbitrary: fc.constant(null) })
const value: fc.Arbitrary<TemplateValue> = fc.oneof(
  scalar,
  fc.array(member, { maxLength: 3 }),
  fc.dictionary(text, member, { maxKeys: 3, noNullPrototype: true }),
  fc.constant(null),
)
const names = ['a', 'b', 'last.name', 'x_1', '%41', 'toString'] as const
const values = fc.record(Object.fromEntries(names.map((name) => [name, value])), {
  requiredKeys: [],
  noNullPrototype: true,
})
const spec: fc.Arbitrary<VariableSpec> = fc.oneof(
  fc.record({ name: fc.constantFrom(...names), explode: fc.boolean() }),
  fc.record({
    name: fc.constantFrom(...names),
    explode: fc.constant(false),
    prefix: fc.integer({ min: 1, max: 12 }),
  }),
)
const node: fc.Arbitrary<FormatNode> = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('literal' as const),
      text: fc.constantFrom('x:', '/', '%41', '?a='),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('expression' as const),
      operator: fc.constantFrom<Operator>('', '+', '#', '.', '/', ';', '?', '&'),
      variables: fc.array(spec, { minLength: 1, maxLength: 3 }),
    }),
  },
)

const attempt = (expand: () => string): string => {
  try {
    return expand()
  } catch {
    return 'refused'
  }
}

describe('uri-template 2.0.0, another implementation', () => {
  it('agrees with every expansion outside of the pinned list of its faults', () => {
    let alike = 0
    const met = new Set<string>()
    fc.assert(
      fc.property(fc.array(node, { minLength: 1, maxLength: 4 }), values, (nodes, values) => {
        const source = formatTemplate(nodes)
        const uses = parseTemplate(source).nodes.flatMap((node) =>
          node.type === 'literal'
            ? []
            : node.variables.map((spec): Use => {
                const value = Object.hasOwn(values, spec.name) ? values[spec.name] : undefined
                return { operator: node.operator, spec, value }
              }),
        )
        const known = faults.filter(({ meets }) => uses.some((use) => meets(use, textsOf(use.value))))
        const ours = attempt(() => expandTemplate(source, values))
        const theirs = attempt(() => parse(source).expand(values))
        if (known.length === 0) {
          alike += 1
          expect(theirs).toBe(ours)
        } else if (ours !== theirs) for (const { what } of known) met.add(what)
      }),
      { numRuns: 2_000 },
    )
    expect(alike).toBeGreaterThan(500)
    expect(met.size).toBe(faults.length)
  })

  it.each(faults)('$what', ({ shown: [template, values, theirs, right] }) => {
    expect(parse(template).expand(values)).toBe(theirs)
    expect(expandTemplate(template, values)).toBe(right)
  })

  it('takes templates that sections 2.1, 2.3 and 2.4.1 do not allow', () => {
    for (const source of grammarFaults.taken) {
      expect([source, attempt(() => parse(source).toString())]).not.toEqual([source, 'refused'])
      expect([source, attempt(() => parseTemplate(source).source)]).toEqual([source, 'refused'])
    }
  })

  it('leaves literals as they are that section 3.1 encodes', () => {
    for (const source of grammarFaults.leftUnencoded) {
      expect(parse(source).expand({})).toBe('é')
      expect(expandTemplate(source, {})).toBe('%C3%A9')
    }
  })
})
