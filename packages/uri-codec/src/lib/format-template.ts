import { parseTemplate } from './parse-template.ts'
import type { TemplateNode, VariableSpec } from './template.ts'

/** A node to be written; `encoded` and `index` are not looked at. */
export type FormatNode =
  | { readonly type: 'literal'; readonly text: string }
  | Pick<Extract<TemplateNode, { type: 'expression' }>, 'type' | 'operator' | 'variables'>

const formatVariable = ({ name, explode, prefix }: VariableSpec): string =>
  name + (explode ? '*' : prefix === undefined ? '' : `:${prefix}`)

/**
 * Writes nodes as a template; the inverse of `parseTemplate`.
 * @throws {TemplateSyntaxError} where the nodes do not make a template
 * @throws {TemplateLimitError} where they make one longer than any that is parsed
 */
export function formatTemplate(nodes: readonly FormatNode[]): string {
  const source = nodes
    .map((node) =>
      node.type === 'literal'
        ? node.text
        : `{${node.operator}${node.variables.map(formatVariable).join(',')}}`,
    )
    .join('')
  parseTemplate(source, {
    literals: 'encode',
    limits: { length: Infinity, expressions: Infinity, variables: Infinity },
  })
  return source
}
