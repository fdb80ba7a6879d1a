import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FormatNode, formatTemplate } from './format-template.ts'
import { parseTemplate } from './parse-template.ts'
import { encodeReserved } from './percent-encode.ts'
import type { Operator, VariableSpec } from './template.ts'
import { TemplateSyntaxError } from './template-errors.ts'

const name = fc.stringMatching(/^[A-Za-z0-9_]{1,4}(\.[a-z]{1,2}){0,2}$|^%[0-9A-F]{2}$/)
const spec: fc.Arbitrary<VariableSpec> = fc.oneof(
  fc.record({ name, explode: fc.boolean() }),
  fc.record({ name, explode: fc.constant(false), prefix: fc.integer({ min: 1, max: 9999 }) }),
)
const literal = fc.record({
  type: fc.constant('literal' as const),
  text: fc.stringMatching(/^([a-z/:?#&=!~é季-]|%[0-9A-F]{2}){1,6}$/),
})
const expression = fc.record({
  type: fc.constant('expression' as const),
  operator: fc.constantFrom<Operator>('', '+', '#', '.', '/', ';', '?', '&'),
  variables: fc.array(spec, { minLength: 1, maxLength: 3 }),
})
const nodes: fc.Arbitrary<FormatNode[]> = fc
  .array(fc.oneof(literal, expression), { maxLength: 6 })
  .map((nodes) =>
    nodes.filter((node, index) => node.type !== 'literal' || nodes[index - 1]?.type !== 'literal'),
  )

const expressionOf = (spec: VariableSpec): FormatNode => ({
  type: 'expression',
  operator: '',
  variables: [spec],
})

describe('formatTemplate', () => {
  it('is the inverse of parseTemplate, both ways', () => {
    fc.assert(
      fc.property(nodes, (nodes) => {
        const source = formatTemplate(nodes)
        const parsed = parseTemplate(source)
        expect(parsed.nodes).toMatchObject(nodes)
        expect(parsed.nodes).toHaveLength(nodes.length)
        expect(formatTemplate(parsed.nodes)).toBe(source)
        for (const node of parsed.nodes)
          expect(source.startsWith(node.type === 'literal' ? node.text : '{', node.index)).toBe(true)
      }),
    )
  })

  it('refuses nodes that would be read as others, and writes all others', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '4', '1', '%', '+', ',', '*', ':', '.', '{', '}', 'é', ' '),
      maxLength: 3,
    })
    const literal = fc.record({ type: fc.constant('literal' as const), text })
    const spec = fc.record(
      { name: text, explode: fc.boolean(), prefix: fc.constantFrom(0, 1, 3, 1.5, -1) },
      { requiredKeys: ['name', 'explode'] },
    )
    const expression = fc.record({
      type: fc.constant('expression' as const),
      operator: fc.constantFrom<Operator>('', '+', '?'),
      variables: fc.array(spec, { maxLength: 2 }),
    })
    /** Literals that follow each other are one, as far as each is read as it is alone. */
    const merged = (nodes: readonly FormatNode[]) => {
      const result: unknown[] = []
      for (const node of nodes)
        if (node.type === 'expression') {
          const { operator } = node
          const variables = node.variables.map(({ name, explode, prefix }) => [name, explode, prefix])
          result.push({ operator, variables }, '')
        } else {
          const encoded = encodeReserved(node.text)
          result.push(typeof result.at(-1) === 'string' ? `${result.pop()}${encoded}` : encoded)
        }
      return result.filter((part) => part !== '')
    }
    fc.assert(
      fc.property(fc.array(fc.oneof(literal, expression), { maxLength: 4 }), (nodes) => {
        let source: string
        try {
          source = formatTemplate(nodes)
        } catch (error) {
          expect(error).toMatchObject({ name: 'TemplateSyntaxError' })
          return
        }
        expect(merged(parseTemplate(source, { literals: 'encode' }).nodes)).toEqual(merged(nodes))
      }),
      { numRuns: 3_000 },
    )
    expect(
      formatTemplate([
        { type: 'literal', text: 'a%41' },
        { type: 'literal', text: 'b' },
      ]),
    ).toBe('a%41b')
  })

  it.each<[string, FormatNode[]]>([
    ['a modifier too many', [expressionOf({ name: 'a', explode: true, prefix: 3 })]],
    ['an operator in a name', [expressionOf({ name: '+a', explode: false })]],
    ['a modifier in a name', [expressionOf({ name: 'a*', explode: false })]],
    ['two names in one', [expressionOf({ name: 'a,b', explode: false })]],
    ['two expressions in a name', [expressionOf({ name: 'a}{b', explode: false })]],
    ['an expression in a literal', [{ type: 'literal', text: '{a}' }]],
    [
      'a triplet from two literals',
      [
        { type: 'literal', text: '%4' },
        { type: 'literal', text: '1' },
      ],
    ],
  ])('refuses %s', (_, nodes) => {
    expect(() => formatTemplate(nodes)).toThrow(TemplateSyntaxError)
  })

  it('refuses nodes that make no template', () => {
    const variables = [{ name: 'a b', explode: false }]
    expect(() => formatTemplate([{ type: 'expression', operator: '', variables }])).toThrow(
      'bad name at index 2',
    )
    expect(() => formatTemplate([{ type: 'literal', text: 'a}' }])).toThrow('unopened expression at index 1')
  })
})
