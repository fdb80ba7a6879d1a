import { operators } from './operators.ts'
import { encodeReserved } from './percent-encode.ts'
import type { Operator, Template, TemplateNode, VariableSpec } from './template.ts'
import { TemplateLimitError, type TemplateSyntaxCode, TemplateSyntaxError } from './template-errors.ts'

/** How large a template may be. A template from a peer is input like any other. */
export interface TemplateLimits {
  /** UTF-16 code units of the template; 65,536 unless given, and never more than 1,048,576. */
  readonly length?: number
  /** Expressions in the template; 1,024 unless given. */
  readonly expressions?: number
  /** Variables in all expressions together; 4,096 unless given. */
  readonly variables?: number
}

/** How a template is read. */
export interface ParseOptions {
  readonly limits?: TemplateLimits
  /**
   * What to do with characters that RFC 6570 section 2.1 does not allow in literals (spaces, quotes, a bare `%`):
   * `'strict'`, the default, refuses them; `'encode'` takes them as text that was left unencoded by mistake.
   */
  readonly literals?: 'strict' | 'encode'
}

/** Section 2.1, with `ucschar` and `iprivate` of section 1.5, and the apostrophe of erratum 6937. */
const literals =
  /(?:[\w!#$&-;=?@[\]~]+|%[\da-f]{2}|[^\0-\x9f\ufff0-\uffff\u{e0000}-\u{e0fff}\p{NChar}\p{Cs}]+)*/iuy
const anyLiterals = /[^{}\p{Cs}]*/uy
/** Section 2.3. */
const names = /(?:\w|%[\da-f]{2})+(?:\.(?:\w|%[\da-f]{2})+)*/iy
/** Section 2.4.1. */
const prefixes = /[1-9]\d{0,3}(?!\d)/y

/** Where a match that starts at `at` ends; -1 where there is none. */
function endOf(pattern: RegExp, source: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(source) ? pattern.lastIndex : -1
}

function refuseLiteral(source: string, index: number): never {
  const character = source.charAt(index)
  let code: TemplateSyntaxCode = 'bad-literal'
  if (character === '}') code = 'unopened-expression'
  else if (character === '%') code = 'bad-escape'
  else if (/^\p{Cs}/u.test(source.slice(index))) code = 'lone-surrogate'
  throw new TemplateSyntaxError(code, source, index)
}

function refuseExpression(source: string, index: number, isStart: boolean): never {
  const character = source.charAt(index)
  let code: TemplateSyntaxCode = 'bad-name'
  if (character === '') code = 'unclosed-expression'
  else if (!isStart) {
    if ('*:'.includes(character)) code = 'bad-modifier'
  } else if (character === '}') code = 'empty-expression'
  else if ('=,!@|'.includes(character)) code = 'reserved-operator'
  throw new TemplateSyntaxError(code, source, index)
}

/**
 * Reads a URI template of any level of RFC 6570.
 *
 * @throws {TemplateSyntaxError} for what the grammar of section 2 refuses, reserved operators included
 * @throws {TemplateLimitError} for a template larger than `limits`
 */
export function parseTemplate(source: string, options?: ParseOptions): Template {
  const limits = options?.limits
  const limit = (code: TemplateLimitError['code'], actual: number, most: number): void => {
    if (actual > most) throw new TemplateLimitError(code, most)
  }
  const maxExpressions = limits?.expressions ?? 1_024
  const maxVariables = limits?.variables ?? 4_096
  // Much more than 1 Mi exhausts the stack of the patterns above.
  limit('too-long', source.length, Math.min(limits?.length ?? 65_536, 1 << 20))
  const nodes: TemplateNode[] = []
  const variableNames = new Set<string>()
  let level: Template['level'] = 1
  let expressions = 0
  let count = 0
  let at = 0
  while (at < source.length) {
    const index = at
    if (source[at] !== '{') {
      at = endOf(options?.literals === 'encode' ? anyLiterals : literals, source, at)
      if (at < source.length && source[at] !== '{') refuseLiteral(source, at)
      const text = source.slice(index, at)
      nodes.push({ type: 'literal', text, encoded: encodeReserved(text), index })
      continue
    }
    expressions += 1
    limit('too-many-expressions', expressions, maxExpressions)
    at += 1
    const first = source.charAt(at) as Operator
    const operator = operators[first] === undefined ? '' : first
    if (operator !== '') {
      at += 1
      level = Math.max(level, operators[operator].reserved ? 2 : 3) as Template['level']
    }
    const variables: VariableSpec[] = []
    for (let more = true; more; at += 1) {
      const start = at
      at = endOf(names, source, start)
      if (at < 0) refuseExpression(source, start, operator === '' && variables.length === 0)
      const name = source.slice(start, at)
      variableNames.add(name)
      count += 1
      limit('too-many-variables', count, maxVariables)
      if (source[at] === '*') {
        variables.push({ name, explode: true })
        level = 4
        at += 1
      } else if (source[at] === ':') {
        const end = endOf(prefixes, source, at + 1)
        if (end < 0) throw new TemplateSyntaxError('bad-prefix', source, at + 1)
        variables.push({ name, explode: false, prefix: +source.slice(at + 1, end) })
        level = 4
        at = end
      } else variables.push({ name, explode: false })
      more = source[at] === ','
      if (!more && source[at] !== '}') refuseExpression(source, at, false)
      if (more && level < 3) level = 3
    }
    nodes.push({ type: 'expression', operator, variables, index })
  }
  return { source, nodes, variables: [...variableNames], level }
}
