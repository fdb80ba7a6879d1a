/** A value that no expansion of RFC 6570 is defined for, or that no URI can carry. */
export class TemplateValueError extends TypeError {
  override readonly name = 'TemplateValueError'
  /**
   * - `lone-surrogate`: half of a surrogate pair, which has no UTF-8 form
   * - `prefix-on-composite`: `{v:n}` with a list or a map (RFC 6570 section 2.4.1)
   * - `unsupported-value`: not a string, number, boolean, list or map, or a list or map within one
   * - `too-long`: the expansion would be longer than the limit
   */
  declare readonly code: 'lone-surrogate' | 'prefix-on-composite' | 'unsupported-value' | 'too-long'
  /** The name of the variable. */
  declare readonly variable: string

  constructor(code: TemplateValueError['code'], variable: string, what: string) {
    super(`Variable "${variable}" ${what}`)
    this.code = code
    this.variable = variable
  }
}
