import { characterClasses, isTriplet, NAME, RESERVED, UNRESERVED } from './characters.ts'
import { encodeReserved } from './percent-encode.ts'
import type { Expression, Operator, Template, TemplateNode, VariableSpec } from './template.ts'
import { TemplateLimitError, type TemplateSyntaxCode, TemplateSyntaxError } from './template-errors.ts'

/** How large a template may be. A template from a peer is input like any other. */
export interface TemplateLimits {
  /** UTF-16 code units of the template; 65,536 unless given. */
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

const noOptions: ParseOptions = {}
const fail = (code: TemplateSyntaxCode, source: string, index: number, what: string): never => {
  throw new TemplateSyntaxError(code, source, index, what)
}

/** `ucschar` and `iprivate` of RFC 6570 section 1.5. */
const isInternational = (point: number): boolean =>
  point < 0x10000
    ? (point >= 0xa0 && point < 0xfdd0) || (point > 0xfdef && point < 0xfff0)
    : (point & 0xffff) < 0xfffe && (point < 0xe0000 || point > 0xe0fff)

/** Checks a literal up to the next `{` and answers where that is. */
function scanLiteral(source: string, from: number, strict: boolean): number {
  let at = from
  for (; at < source.length; at += 1) {
    const code = source.charCodeAt(at)
    if (code < 128) {
      if ((characterClasses[code]! & (UNRESERVED | RESERVED)) !== 0) continue
      if (code === 0x7b) break
      if (code === 0x7d) fail('unopened-expression', source, at, 'A "}" without "{"')
      if (!strict) continue
      if (code === 0x25) {
        if (isTriplet(source, at)) at += 2
        else fail('bad-escape', source, at, 'A "%" without two hexadecimal digits (write %25)')
      } else fail('bad-literal', source, at, 'A character that must be percent-encoded in a literal')
    } else {
      const point = source.codePointAt(at)!
      if (point >= 0xd800 && point < 0xe000) fail('lone-surrogate', source, at, 'Half of a surrogate pair')
      if (strict && !isInternational(point))
        fail('bad-literal', source, at, 'A character that must be percent-encoded in a literal')
      if (point > 0xffff) at += 1
    }
  }
  return at
}

/** The end of the variable name that starts at `from` (RFC 6570 section 2.3). */
function scanName(source: string, from: number): number {
  let at = from
  for (; at < source.length; at += 1) {
    const code = source.charCodeAt(at)
    if (code < 128 && (characterClasses[code]! & NAME) !== 0) continue
    if (code === 0x25 && isTriplet(source, at)) at += 2
    else if (code !== 0x2e || at === from || source.charCodeAt(at - 1) === 0x2e) break
  }
  if (at > from && source.charCodeAt(at - 1) !== 0x2e) return at
  if (at >= source.length) return fail('unclosed-expression', source, at, 'An expression without "}"')
  return fail('bad-name', source, at, 'Not a variable name')
}

const operatorOf = (code: number): Operator => {
  switch (code) {
    case 0x2b:
      return '+'
    case 0x23:
      return '#'
    case 0x2e:
      return '.'
    case 0x2f:
      return '/'
    case 0x3b:
      return ';'
    case 0x3f:
      return '?'
    case 0x26:
      return '&'
    default:
      return ''
  }
}

/** Reads `:n` from the `:` at `from`: 1 to 9999, no leading zero (RFC 6570 section 2.4.1). */
function readPrefix(source: string, from: number): number {
  let prefix = 0
  let at = from + 1
  for (; at < from + 5; at += 1) {
    const digit = source.charCodeAt(at) - 0x30
    if (!(digit >= 0 && digit <= 9) || (prefix === 0 && digit === 0)) break
    prefix = prefix * 10 + digit
  }
  const next = source.charCodeAt(at) - 0x30
  if (prefix === 0 || (next >= 0 && next <= 9))
    fail('bad-prefix', source, from + 1, 'A prefix is a number from 1 to 9999')
  return prefix
}

/**
 * Reads a URI template of any level of RFC 6570.
 *
 * @throws {TemplateSyntaxError} for what the grammar of section 2 refuses, reserved operators included
 * @throws {TemplateLimitError} for a template larger than `limits`
 */
export function parseTemplate(source: string, options: ParseOptions = noOptions): Template {
  const { limits, literals } = options
  const maxLength = limits?.length ?? 65_536
  const maxExpressions = limits?.expressions ?? 1_024
  const maxVariables = limits?.variables ?? 4_096
  if (source.length > maxLength) throw new TemplateLimitError('too-long', maxLength)
  const nodes: TemplateNode[] = []
  const names: string[] = []
  let seen: Set<string> | undefined
  let level: Template['level'] = 1
  let expressions = 0
  let count = 0
  let at = 0
  while (at < source.length) {
    if (source.charCodeAt(at) !== 0x7b) {
      const start = at
      at = scanLiteral(source, start, literals !== 'encode')
      const text = source.slice(start, at)
      nodes.push({ type: 'literal', text, encoded: encodeReserved(text), index: start })
      continue
    }
    expressions += 1
    if (expressions > maxExpressions) throw new TemplateLimitError('too-many-expressions', maxExpressions)
    const index = at
    at += 1
    const operator = operatorOf(source.charCodeAt(at))
    if (operator !== '') {
      at += 1
      const needs = operator === '+' || operator === '#' ? 2 : 3
      if (level < needs) level = needs
    } else refuseAtStart(source, at)
    const variables: VariableSpec[] = []
    for (;;) {
      const start = at
      at = scanName(source, start)
      const name = source.slice(start, at)
      let code = source.charCodeAt(at)
      if (code === 0x2a) {
        variables.push({ name, explode: true })
        level = 4
        at += 1
      } else if (code === 0x3a) {
        const prefix = readPrefix(source, at)
        variables.push({ name, explode: false, prefix })
        level = 4
        at += prefix > 999 ? 5 : prefix > 99 ? 4 : prefix > 9 ? 3 : 2
      } else variables.push({ name, explode: false })
      count += 1
      if (count > maxVariables) throw new TemplateLimitError('too-many-variables', maxVariables)
      if (seen === undefined) {
        if (!names.includes(name)) names.push(name)
        if (names.length > 16) seen = new Set(names)
      } else if (!seen.has(name)) {
        seen.add(name)
        names.push(name)
      }
      code = source.charCodeAt(at)
      at += 1
      if (code === 0x7d) break
      if (code !== 0x2c) refuseAfterVariable(source, at - 1)
      if (level < 3) level = 3
    }
    nodes.push({ type: 'expression', operator, variables, index } satisfies Expression)
  }
  return { source, nodes, variables: names, level }
}

function refuseAtStart(source: string, at: number): void {
  const character = source.charAt(at)
  if (character === '}') fail('empty-expression', source, at, 'An expression without a variable')
  if ('=,!@|'.includes(character) && character !== '')
    fail('reserved-operator', source, at, `"${character}" is reserved for later versions of RFC 6570`)
}

function refuseAfterVariable(source: string, at: number): never {
  const character = source.charAt(at)
  if (character === '') return fail('unclosed-expression', source, at, 'An expression without "}"')
  if (character === '*' || character === ':')
    return fail('bad-modifier', source, at, 'A variable has one modifier at most')
  return fail('bad-name', source, at, 'Neither part of a variable name nor ",", "}", ":" or "*"')
}
