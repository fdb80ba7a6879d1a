import { expandExpression, type TemplateValues } from './expand-template.ts'
import { written } from './format-template.ts'
import { type Piece, textOf } from './meant-tokens.ts'
import { decodeStrictly } from './percent-decode.ts'
import type { Expression, Template } from './template.ts'
import type { UriFaultCode } from './uri-finding.ts'

/** A URI that was or could have been meant: the right one, or what a library makes that leaves something out. */
export interface Variant {
  readonly pieces: readonly Piece[]
  readonly code?: UriFaultCode
}

/** Expands a template part by part, with other expressions or other text in their place. */
export function expandPieces(
  template: Template,
  values: TemplateValues,
  change?: (expression: Expression) => Expression | string,
): Piece[] {
  return template.nodes.map((node) => {
    if (node.type === 'literal') return { text: node.encoded }
    const variable = written([node])
    const changed = change?.(node) ?? node
    return { text: typeof changed === 'string' ? changed : expandExpression(changed, values), variable }
  })
}

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
  for (const ignored of ['+#./;?&', ...'+#./;?&']) {
    const change = (expression: Expression): Expression =>
      ignored.includes(expression.operator) ? { ...withoutExplode(expression), operator: '' } : expression
    yield { pieces: expandPieces(template, values, change), code: 'operator-ignored' }
  }
  yield { pieces: expandPieces(template, values, withoutExplode), code: 'explode-ignored' }
  for (const filler of ['', 'undefined', 'null']) {
    const filled = Object.fromEntries(
      template.variables.map((name) => [name, (Object.hasOwn(values, name) ? values[name] : null) ?? filler]),
    )
    yield { pieces: expandPieces(template, filled), code: 'undefined-written' }
  }
  if (/\{|%7b/i.test(received)) {
    yield {
      pieces: expandPieces(template, values, (expression) => written([expression])),
      code: 'not-expanded',
    }
  }
}

/** The key of a parameter, however it is written. */
const keyOf = (parameter: string) => decodeStrictly(parameter.replace(/=.*/s, ''))

/** The same URI with its query parameters in the order in which the received text has them. */
export function reordered(pieces: readonly Piece[], received: string): Variant {
  const places = new Map<string | undefined, number>()
  for (const [index, parameter] of received.split(/[?&#]/).entries())
    places.set(keyOf(parameter), index).set(parameter, index)
  // What was not received stays behind what is before it.
  let place = 0
  const text = textOf(pieces).replace(
    /^([^?#]*\?)([^#]*)/,
    (_, start: string, query: string) =>
      start +
      query
        .split('&')
        .map((text) => {
          place = places.get(text) ?? places.get(keyOf(text)) ?? place
          return { text, place }
        })
        .sort((a, b) => a.place - b.place)
        .map(({ text }) => text)
        .join('&'),
  )
  return { pieces: [{ text }], code: 'query-order' }
}
