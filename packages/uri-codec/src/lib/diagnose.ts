import { type Alignment, align } from './align.ts'
import { findEncoders } from './encoders.ts'
import type { TemplateValues } from './expand-template.ts'
import { type Piece, type Token, tokensOf } from './meant-tokens.ts'
import { reorderedQuery, rightPieces, type Variant, wrongVariants } from './meant-variants.ts'
import { parseTemplate } from './parse-template.ts'
import { decodeStrictly } from './percent-decode.ts'
import type { Template } from './template.ts'
import type { TemplateValueError } from './template-value-error.ts'
import { type EncoderName, faults, type UriFaultCode, type UriFinding } from './uri-finding.ts'

/**
 * What a received text should have been: the expansion of a template, a URI, or, where a receiver has already taken a
 * variable out of the URI, that variable's value.
 */
export type Meant =
  | { readonly template: Template | string; readonly values: TemplateValues }
  | { readonly uri: string }
  | { readonly value: string }

const halves = /\p{Cs}/gu

/** What was meant, as far as it can be written. */
interface Right {
  readonly template: Template | undefined
  readonly values: TemplateValues
  readonly pieces: readonly Piece[]
  /** Where half of a surrogate pair had to be replaced, so that no URI can carry what was meant; else -1. */
  readonly mendedAt: number
}

const textOf = (pieces: readonly Piece[]): string => pieces.map(({ text }) => text).join('')
const mendText = <T>(value: T): T | string =>
  typeof value === 'string' ? value.replace(halves, '\ufffd') : value

/** The values of a template's variables, with halves of surrogate pairs replaced as UTF-8 encoders replace them. */
function mendValues(template: Template, values: TemplateValues): TemplateValues {
  const mended = template.variables
    .filter((name) => Object.hasOwn(values, name))
    .map((name) => {
      const value = values[name]
      if (typeof value !== 'object' || value === null) return [name, mendText(value)]
      if (Array.isArray(value)) return [name, value.map(mendText)]
      return [name, Object.fromEntries(Object.entries(value).map((member) => member.map(mendText)))]
    })
  return Object.fromEntries(mended)
}

function rightOf(meant: Meant): Right {
  if (!('template' in meant)) {
    const text = 'uri' in meant ? meant.uri : meant.value
    return { template: undefined, values: {}, pieces: [{ text }], mendedAt: text.search(halves) }
  }
  const template = typeof meant.template === 'string' ? parseTemplate(meant.template) : meant.template
  try {
    return { template, values: meant.values, pieces: rightPieces(template, meant.values), mendedAt: -1 }
  } catch (error) {
    if ((error as TemplateValueError).code !== 'lone-surrogate') throw error
    const values = mendValues(template, meant.values)
    const pieces = rightPieces(template, values)
    return { template, values, pieces, mendedAt: textOf(pieces).search(/%EF%BF%BD|\ufffd/) }
  }
}

/** A URI that was encoded as a whole, decoded once, with the place of each of its characters in what was received. */
function unwrap(received: string, right: string): { text: string; places: number[] } | undefined {
  if (!/^[a-z][a-z0-9+.-]*%(25)*3a/i.test(received) || /^[^:]*%3a/i.test(right)) return undefined
  if (decodeStrictly(received) === undefined) return undefined
  let text = ''
  let offset = 0
  const places: number[] = []
  for (const token of tokensOf([{ text: received }])) {
    for (let unit = 0; unit < token.chars.length; unit += 1) places.push(offset)
    text += token.chars
    offset += token.text.length
  }
  places.push(offset)
  return { text, places }
}

interface Reading extends Alignment {
  readonly tokens: readonly Token[]
  readonly code: UriFaultCode | undefined
}

/** The cheapest reading among the right URI and its wrong variants, which must explain more to be preferred. */
function bestReading(variants: Iterable<Variant>, received: string, asUri: boolean): Reading | undefined {
  let best: Reading | undefined
  for (const { pieces, code } of variants) {
    const surcharge = code === undefined ? 0 : 1
    const tokens = tokensOf(pieces, asUri)
    const alignment = align(tokens, received, best === undefined ? Infinity : best.cost - surcharge)
    if (alignment !== undefined) best = { ...alignment, cost: alignment.cost + surcharge, tokens, code }
  }
  return best
}

function* variantsOf({ template, values, pieces }: Right, received: string): Generator<Variant> {
  yield { pieces }
  const reordered = reorderedQuery(pieces, received)
  if (reordered !== undefined) yield { pieces: reordered, code: 'query-order' }
  if (template !== undefined) yield* wrongVariants(template, values, received)
}

const firstDifference = (a: string, b: string): number => {
  let at = 0
  while (at < a.length && a[at] === b[at]) at += 1
  return at
}

/** What the mistakes of a URI are called where a value is looked at. */
const ofValues: Partial<Record<UriFaultCode, UriFaultCode>> = {
  'needless-escape': 'not-decoded',
  'reserved-encoded': 'not-decoded',
  'query-dropped': 'cut-at-delimiter',
  'fragment-dropped': 'cut-at-delimiter',
}

/**
 * Names every mistake by which `received` differs from the URI that was meant: what a client did to it, or what a
 * receiver did before it looked. Nothing where the texts are equal. Text that no known mistake explains is reported as
 * `different`. The work is bounded, whatever was received.
 *
 * @throws {TemplateValueError} for values that cannot be expanded; halves of surrogate pairs are a finding instead
 * @throws {TemplateSyntaxError} for a template given as text that RFC 6570 does not allow
 */
export function diagnose(received: string, meant: Meant): UriFinding[] {
  const right = rightOf(meant)
  const asUri = !('value' in meant)
  const uri = textOf(right.pieces)
  const found = new Map<
    UriFaultCode,
    { index: number; count: number; variables: Set<string>; spelled: boolean }
  >()
  const note = (code: UriFaultCode, index: number, variable?: string, spelled = false): void => {
    const finding = found.get(code) ?? { index, count: 0, variables: new Set(), spelled }
    finding.count += 1
    finding.index = Math.min(finding.index, index)
    if (variable !== undefined) finding.variables.add(variable)
    found.set(code, finding)
  }
  if (right.mendedAt >= 0) note('lone-surrogate', Math.min(right.mendedAt, firstDifference(received, uri)))
  const encoder: EncoderName[] = []
  if (received !== uri) {
    const unwrapped = asUri ? unwrap(received, uri) : undefined
    const text = unwrapped?.text ?? received
    const place = (index: number): number => unwrapped?.places[index] ?? index
    if (unwrapped !== undefined) note('whole-uri-encoded', received.indexOf('%'))
    const reading = bestReading(variantsOf(right, text), text, asUri)
    if (!asUri && uri.includes('/') && uri.split('/').includes(received)) note('cut-after-decoding', 0)
    else if (reading === undefined) note('different', place(firstDifference(text, uri)))
    else {
      const { tokens, steps, code } = reading
      if (code !== undefined) note(code, place(firstDifference(text, uri)))
      for (const { codes, index, token } of steps)
        for (const fault of codes)
          note((asUri ? undefined : ofValues[fault]) ?? fault, place(index), tokens[token]?.variable, true)
      if (unwrapped === undefined && asUri) encoder.push(...findEncoders(tokens, steps, received))
    }
    const decoded = asUri ? decodeStrictly(uri) : uri
    if (decoded !== uri && (received === decoded || received === decodeStrictly(decoded ?? '')))
      note('decoded-early', firstDifference(received, uri))
  }
  const repaired = right.mendedAt >= 0 ? undefined : uri
  return Array.from(found, ([code, { index, count, variables, spelled }]) => {
    const where = variables.size > 0 ? ` (in ${[...variables].join(', ')})` : ''
    const by = encoder.length > 0 && spelled ? { encoder } : {}
    return { code, message: faults[code] + where, index, count, repaired, ...by }
  })
}
