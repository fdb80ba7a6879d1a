import { type OperatorRule, operators } from './operators.ts'
import { parseTemplate } from './parse-template.ts'
import { encodeReserved, encodeUnreserved, maxLength } from './percent-encode.ts'
import type { Expression, Template, VariableSpec } from './template.ts'
import { TemplateValueError } from './template-value-error.ts'

/** A single value; numbers and booleans stand for their text. */
export type ScalarValue = string | number | bigint | boolean

/**
 * What a variable may hold (RFC 6570 section 2.4). Members that are `null` or `undefined` are skipped, and a list
 * or map without any other member is undefined, as are `null` and `undefined` themselves.
 */
export type TemplateValue =
  | ScalarValue
  | readonly (ScalarValue | null | undefined)[]
  | { readonly [member: string]: ScalarValue | null | undefined }
  | null
  | undefined

/** Values by variable name. Only own properties count. */
export type TemplateValues = { readonly [variable: string]: TemplateValue }

const hasOwn = Object.prototype.hasOwnProperty
const describe = Object.prototype.toString

/** The first `count` code points of `text` (RFC 6570 section 2.4.1). */
function cut(text: string, count: number): string {
  if (text.length <= count) return text
  let at = 0
  for (let left = count; left > 0 && at < text.length; left -= 1) at += text.codePointAt(at)! > 0xffff ? 2 : 1
  return text.slice(0, at)
}

/** A scalar as text. @throws {TemplateValueError} for anything else */
function textOf(value: unknown, variable: string): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value)
  throw new TemplateValueError('unsupported-value', variable, `holds ${describe.call(value)}`)
}

function encode(text: string, reserved: boolean, variable: string): string {
  if (text.length > maxLength) throw tooLong(variable)
  try {
    return reserved ? encodeReserved(text) : encodeUnreserved(text)
  } catch (error) {
    // The platform's encoder fails for no other reason but the length of what it makes.
    if (!(error instanceof URIError)) throw tooLong(variable)
    throw new TemplateValueError('lone-surrogate', variable, 'holds half of a surrogate pair')
  }
}

const tooLong = (variable: string): TemplateValueError =>
  new TemplateValueError('too-long', variable, `makes the URI longer than ${maxLength} characters`)

/** Expands a list or map; `undefined` where it has no member. */
function expandComposite(value: object, spec: VariableSpec, rule: OperatorRule): string | undefined {
  const { name, explode } = spec
  const { named, reserved, ifEmpty } = rule
  const isList = Array.isArray(value)
  if (!isList && describe.call(value) !== '[object Object]') textOf(value, name)
  const separator = explode ? rule.separator : ','
  let result: string | undefined
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined || member === null) continue
    let part = encode(textOf(member, name), reserved, name)
    if (!isList || (explode && named)) {
      const label = isList ? name : encode(key, reserved, name)
      if (!explode) part = `${label},${part}`
      else part = named && part === '' ? label + ifEmpty : `${label}=${part}`
    }
    result = result === undefined ? part : result + separator + part
    if (result.length > maxLength) throw tooLong(name)
  }
  if (result === undefined) return undefined
  if (spec.prefix !== undefined)
    throw new TemplateValueError('prefix-on-composite', name, 'is a list or map, but has a prefix')
  if (!named || explode) return result
  return result === '' ? name + ifEmpty : `${name}=${result}`
}

/** Expands one expression (RFC 6570 section 3.2.1); `''` where no variable of it is defined. */
export function expandExpression(expression: Expression, values: TemplateValues): string {
  const rule = operators[expression.operator]
  const { variables } = expression
  let result: string | undefined
  for (let at = 0; at < variables.length; at += 1) {
    const spec = variables[at]!
    const { name } = spec
    const value = values[name]
    if (value === undefined || value === null || !hasOwn.call(values, name)) continue
    let part: string | undefined
    if (typeof value === 'object') part = expandComposite(value, spec, rule)
    else {
      const whole = textOf(value, name)
      part = encode(spec.prefix === undefined ? whole : cut(whole, spec.prefix), rule.reserved, name)
      if (rule.named) part = part === '' ? name + rule.ifEmpty : `${name}=${part}`
    }
    if (part === undefined) continue
    result = result === undefined ? rule.first + part : result + rule.separator + part
    if (result.length > maxLength) throw tooLong(name)
  }
  return result ?? ''
}

/**
 * Expands a template with values (RFC 6570 section 3).
 *
 * @throws {TemplateValueError} for a value that cannot be expanded
 * @throws {TemplateSyntaxError} for a template given as text that RFC 6570 does not allow
 * @throws {TemplateLimitError} for a template given as text that is larger than the default limits
 */
export function expandTemplate(template: Template | string, values: TemplateValues): string {
  const { nodes } = typeof template === 'string' ? parseTemplate(template) : template
  let result = ''
  for (let at = 0; at < nodes.length; at += 1) {
    const node = nodes[at]!
    if (node.type === 'literal') result += node.encoded
    else {
      result += expandExpression(node, values)
      if (result.length > maxLength) throw tooLong(node.variables[0]!.name)
    }
  }
  return result
}
