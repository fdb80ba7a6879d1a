import type { Operator } from './template.ts'

/** What an operator does: one row of the table in RFC 6570 appendix A. */
export interface OperatorRule {
  /** Written before the first defined variable. */
  readonly first: string
  /** Written between defined variables, and between the parts of an exploded value. */
  readonly separator: string
  /** Whether `name=` goes before each value. */
  readonly named: boolean
  /** Written after the name in place of `=` and the value where the value is the empty string. */
  readonly ifEmpty: string
  /** Whether reserved characters and existing triplets of a value are kept. */
  readonly reserved: boolean
}

const rule = (
  first: string,
  separator: string,
  named: boolean,
  ifEmpty: string,
  reserved: boolean,
): OperatorRule => ({ first, separator, named, ifEmpty, reserved })

/** The eight operators (RFC 6570 appendix A). */
export const operators: Readonly<Record<Operator, OperatorRule>> = {
  '': rule('', ',', false, '', false),
  '+': rule('', ',', false, '', true),
  '#': rule('#', ',', false, '', true),
  '.': rule('.', '.', false, '', false),
  '/': rule('/', '/', false, '', false),
  ';': rule(';', ';', true, '', false),
  '?': rule('?', '&', true, '=', false),
  '&': rule('&', '&', true, '=', false),
}
