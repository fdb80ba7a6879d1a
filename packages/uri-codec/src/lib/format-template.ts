import { parseTemplate } from './parse-template.ts'
import type { TemplateNode } from './template.ts'
import { TemplateSyntaxError } from './template-errors.ts'

/** A node to be written; `encoded` and `index` are not looked at. */
export type FormatNode =
  | { readonly type: 'literal'; readonly text: string }
  | Pick<Extract<TemplateNode, { type: 'expression' }>, 'type' | 'operator' | 'variables'>

/** Nodes as a template, with a mark at what could be read otherwise: operators, names, the end of half a triplet. */
export const written = (nodes: readonly FormatNode[], mark = ''): string =>
  nodes
    .map((node) => {
      if (node.type === 'literal') return node.text.replace(/%.?$/, `$&${mark}`)
      const variables = node.variables.map(
        ({ name, explode, prefix }) =>
          name + mark + (explode ? '*' : '') + (prefix === undefined ? '' : `:${prefix}`),
      )
      return `{${mark}${node.operator}${mark}${variables}}`
    })
    .join('')

/**
 * Writes nodes as a template; the inverse of `parseTemplate`.
 * @throws {TemplateSyntaxError} where the nodes do not make a template, or one that would be read as other nodes
 * (`bad-literal` at 0); literals that follow each other are one
 * @throws {TemplateLimitError} where they make one longer than any that is parsed
 */
export function formatTemplate(nodes: readonly FormatNode[]): string {
  const source = written(nodes)
  const limits = { length: Infinity, expressions: Infinity, variables: Infinity }
  // A brace is a mark that no name or literal holds.
  const read = parseTemplate(source, { literals: 'encode', limits }).nodes
  if (written(nodes, '}') !== written(read, '}')) throw new TemplateSyntaxError('bad-literal', source, 0)
  return source
}
