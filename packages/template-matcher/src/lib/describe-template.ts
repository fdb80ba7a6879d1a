import { type Expression, type Operator, operators, type Template } from '@truename/uri-codec'
import { toTemplate } from './to-template.ts'

/**
 * What an expression carries: a `name` is one segment, in which `/` is data; a `path` several, which `/` separates; a
 * `query` parameters by name; a `fragment` what follows `#`.
 */
export type IdentifierForm = 'name' | 'path' | 'query' | 'fragment'

/** One expression of a template, as listings and reports state it. */
export interface ExpressionDescription {
  /** As written, braces included. */
  readonly text: string
  readonly operator: Operator
  readonly form: IdentifierForm
  readonly variables: readonly string[]
}

/** What a client must be able to do to use a template, and what it carries. */
export interface TemplateDescription {
  readonly template: string
  /** The least level of RFC 6570 (section 1.2) that expands it. */
  readonly level: 1 | 2 | 3 | 4
  /** The scheme, with its colon; `undefined` where the template does not fix one. */
  readonly scheme: string | undefined
  /** `path` where any expression carries one, else `name`; `undefined` where no expression carries either. */
  readonly form: 'name' | 'path' | undefined
  readonly expressions: readonly ExpressionDescription[]
}

function formOf({ operator, variables }: Expression): IdentifierForm {
  const { named } = operators[operator]
  if (operator === '#') return 'fragment'
  if (named) return 'query'
  const spreads = operator === '/' && (variables.length > 1 || variables.some(({ explode }) => explode))
  return operator === '+' || spreads ? 'path' : 'name'
}

/** States the expressions of a template, the form of identifier it carries, and what expanding it takes. */
export function describeTemplate(template: Template | string): TemplateDescription {
  const { source, nodes, level } = toTemplate(template)
  const expressions = nodes.flatMap((node, at) =>
    node.type === 'literal'
      ? []
      : {
          text: source.slice(node.index, nodes[at + 1]?.index),
          operator: node.operator,
          form: formOf(node),
          variables: node.variables.map(({ name }) => name),
        },
  )
  const forms = expressions.map(({ form }) => form)
  return {
    template: source,
    level,
    scheme: /^[A-Za-z][A-Za-z0-9+.-]*:/.exec(source)?.[0],
    form: forms.includes('path') ? 'path' : forms.includes('name') ? 'name' : undefined,
    expressions,
  }
}
