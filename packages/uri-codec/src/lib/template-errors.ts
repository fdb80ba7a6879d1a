/** What is wrong with a template; see `TemplateSyntaxError`. */
export type TemplateSyntaxCode =
  | 'unclosed-expression'
  | 'unopened-expression'
  | 'empty-expression'
  | 'reserved-operator'
  | 'bad-name'
  | 'bad-prefix'
  | 'bad-modifier'
  | 'bad-literal'
  | 'bad-escape'
  | 'lone-surrogate'

const advice: { readonly [code in TemplateSyntaxCode]?: string } = {
  'bad-prefix': ' (1 to 9999)',
  'bad-escape': ' (write %25)',
}

/** The line with the mistake and a caret under it; long templates are cut to the surroundings. */
function point(source: string, index: number): string {
  const from = Math.max(0, index - 60)
  const shown = source.slice(from, index + 40).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd')
  const before = from > 0 ? '…' : ''
  const column = before.length + index - from
  return `  ${before}${shown}${index + 40 < source.length ? '…' : ''}\n  ${' '.repeat(column)}^`
}

/** A template that RFC 6570 does not allow. Its message shows the template with a caret under the place. */
export class TemplateSyntaxError extends Error {
  override readonly name = 'TemplateSyntaxError'
  declare readonly code: TemplateSyntaxCode
  /** The template as it was given. */
  declare readonly source: string
  /** Where the mistake is, in UTF-16 code units. */
  declare readonly index: number

  constructor(code: TemplateSyntaxCode, source: string, index: number) {
    super(
      `URI template: ${code.replaceAll('-', ' ')} at index ${index}${advice[code] ?? ''}\n${point(source, index)}`,
    )
    this.code = code
    this.source = source
    this.index = index
  }
}

/** A template larger than the caller's limits allow. */
export class TemplateLimitError extends Error {
  override readonly name = 'TemplateLimitError'
  declare readonly code: 'too-long' | 'too-many-expressions' | 'too-many-variables'
  /** The limit that was reached. */
  declare readonly limit: number

  constructor(code: TemplateLimitError['code'], limit: number) {
    super(`URI template: ${code.replaceAll('-', ' ')} (limit ${limit})`)
    this.code = code
    this.limit = limit
  }
}
