import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FormatNode, formatTemplate } from './format-template.ts'
import { parseTemplate } from './parse-template.ts'
import type { Operator, VariableSpec } from './template.ts'

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

  it('refuses nodes that make no template', () => {
    const variables = [{ name: 'a b', explode: false }]
    expect(() => formatTemplate([{ type: 'expression', operator: '', variables }])).toThrow(
      'bad name at index 2',
    )
    expect(() => formatTemplate([{ type: 'literal', text: 'a}' }])).toThrow('unopened expression at index 1')
  })
})
