import { expandExpression, type TemplateValues } from './expand-template.ts'
import type { Piece } from './meant-tokens.ts'
import type { Expression, Operator, Template } from './template.ts'
import type { UriFaultCode } from './uri-finding.ts'

/** A URI that was or could have been meant: the right one, or what a library makes that leaves something out. */
export interface Variant {
  readonly pieces: readonly Piece[]
  readonly code?: UriFaultCode
}

const shown = ({ operator, variables }: Expression): string =>
  `{${operator}${variables.map(({ name }) => name).join(',')}}`

function expandPieces(
  template: Template,
  values: TemplateValues,
  change: (expression: Expression) => Expression | string = (expression) => expression,
): Piece[] {
  return template.nodes.map((node) => {
    if (node.type === 'literal') return { text: node.encoded }
    const changed = change(node)
    const text = typeof changed === 'string' ? changed : expandExpression(changed, values)
    return { text, variable: shown(node) }
  })
}

/** Only the expansion that RFC 6570 has. */
export const rightPieces = (template: Template, values: TemplateValues): Piece[] =>
  expandPieces(template, values)

const asSimple = (expression: Expression): Expression => ({
  ...expression,
  operator: '',
  variables: expression.variables.map(({ name }) => ({ name, explode: false })),
})

const withoutExplode = (expression: Expression): Expression => ({
  ...expression,
  variables: expression.variables.map((spec) => ({ ...spec, explode: false })),
})

/** What weak libraries make of a template: operators, explode or missing values not seen to, expressions left as text. */
export function* wrongVariants(
  template: Template,
  values: TemplateValues,
  received: string,
): Generator<Variant> {
  const expressions = template.nodes.filter((node) => node.type === 'expression')
  const operators = new Set<Operator>(expressions.map(({ operator }) => operator))
  operators.delete('')
  if (operators.size > 1) yield { pieces: expandPieces(template, values, asSimple), code: 'operator-ignored' }
  for (const operator of operators) {
    const change = (expression: Expression) =>
      expression.operator === operator ? asSimple(expression) : expression
    yield { pieces: expandPieces(template, values, change), code: 'operator-ignored' }
  }
  if (expressions.some(({ variables }) => variables.some(({ explode }) => explode)))
    yield { pieces: expandPieces(template, values, withoutExplode), code: 'explode-ignored' }
  const missing = template.variables.filter((name) => values[name] === undefined || values[name] === null)
  if (missing.length > 0)
    for (const filler of ['', 'undefined', 'null']) {
      const filled = { ...values, ...Object.fromEntries(missing.map((name) => [name, filler])) }
      yield { pieces: expandPieces(template, filled), code: 'undefined-written' }
    }
  if (/\{|%7b/i.test(received)) {
    const asText = (expression: Expression): string =>
      template.source.slice(expression.index).replace(/\}.*/s, '}')
    yield { pieces: expandPieces(template, values, asText), code: 'not-expanded' }
    for (const one of expressions.slice(0, 16))
      yield {
        pieces: expandPieces(template, values, (expression) =>
          expression === one ? asText(one) : expression,
        ),
        code: 'not-expanded',
      }
  }
}

/** The same URI with its query parameters in the order in which the received text has them. */
export function reorderedQuery(pieces: readonly Piece[], received: string): Piece[] | undefined {
  const text = pieces.map((piece) => piece.text).join('')
  const meant = /^([^?#]*\?)([^#]*)/.exec(text)
  const given = /^[^?#]*\?([^#]*)/.exec(received)
  if (!meant?.[2]?.includes('&') || given === null) return undefined
  const key = (parameter: string): string => parameter.split('=', 1)[0]!
  const order = given[1]!.split('&').map(key)
  const place = (parameter: string): number => {
    const at = order.indexOf(key(parameter))
    return at < 0 ? order.length : at
  }
  const sorted = meant[2]
    .split('&')
    .sort((a, b) => place(a) - place(b))
    .join('&')
  if (sorted === meant[2]) return undefined
  const start = meant[1]!.length
  const variable = pieces.findLast((piece) => piece.variable !== undefined)?.variable
  return [
    { text: text.slice(0, start) },
    { text: sorted, variable },
    { text: text.slice(start + sorted.length) },
  ]
}
