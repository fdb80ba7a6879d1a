/** The operators of RFC 6570 section 2.2; `''` is simple expansion. */
export type Operator = '' | '+' | '#' | '.' | '/' | ';' | '?' | '&'

/** One variable of an expression with its modifier (RFC 6570 sections 2.3 and 2.4). */
export interface VariableSpec {
  /** The name as written; a triplet in it stays a triplet, and values are looked up under this very text. */
  readonly name: string
  /** Whether `*` follows the name. */
  readonly explode: boolean
  /** The number of `:n`: how many code points of the value are used, 1 to 9999. */
  readonly prefix?: number
}

/** Text between expressions (RFC 6570 section 2.1). */
export interface Literal {
  readonly type: 'literal'
  /** As written in the template. */
  readonly text: string
  /** As every expansion writes it: what is not allowed in a URI is percent-encoded, triplets stay (section 3.1). */
  readonly encoded: string
  /** Where it starts in the template, in UTF-16 code units. */
  readonly index: number
}

/** What stands between braces (RFC 6570 section 2.2). */
export interface Expression {
  readonly type: 'expression'
  readonly operator: Operator
  /** At least one. */
  readonly variables: readonly VariableSpec[]
  /** Where its `{` stands in the template, in UTF-16 code units. */
  readonly index: number
}

/** A part of a template. */
export type TemplateNode = Literal | Expression

/** A parsed URI template: plain data, safe to share and to keep. */
export interface Template {
  /** The template as it was given. */
  readonly source: string
  /** Literals and expressions in order; two literals never follow each other. */
  readonly nodes: readonly TemplateNode[]
  /** The names of all variables, each once, in the order of their first use. */
  readonly variables: readonly string[]
  /** The least level of RFC 6570 (section 1.2) that a library needs to expand it. */
  readonly level: 1 | 2 | 3 | 4
}
