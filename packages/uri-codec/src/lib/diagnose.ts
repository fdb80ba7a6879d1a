import { align } from './align.ts'
import { findEncoders } from './encoders.ts'
import type { TemplateValues } from './expand-template.ts'
import { textOf, tokensOf } from './meant-tokens.ts'
import { expandPieces, reordered, type Variant, wrongVariants } from './meant-variants.ts'
import { parseTemplate } from './parse-template.ts'
import { decodeStrictly } from './percent-decode.ts'
import { writtenAs } from './spellings.ts'
import type { Template } from './template.ts'
import type { TemplateValueError } from './template-value-error.ts'
import { type EncoderName, inWords, type UriFaultCode, type UriFinding } from './uri-finding.ts'

/**
 * What a received text should have been: the expansion of a template, a URI, or, where a receiver has already taken a
 * variable out of the URI, that variable's value.
 */
export type Meant =
  | { readonly template: Template | string; readonly values: TemplateValues }
  | { readonly uri: string }
  | { readonly value: string }

const halves = /\p{Cs}/gu

/** Values, keys too, with halves of surrogate pairs replaced, as UTF-8 encoders replace them. */
function mend<T>(value: T): T
function mend(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(halves, '\ufffd')
  if (Array.isArray(value)) return value.map(mend)
  return typeof value === 'object' && value ? Object.fromEntries(mend(Object.entries(value))) : value
}

/** What was meant, as far as it can be written, and where half of a surrogate pair was replaced for that. */
function rightOf(meant: Meant): {
  template?: Template
  values: TemplateValues
  pieces: Variant['pieces']
  half: number
} {
  if (!('template' in meant)) {
    const text = 'uri' in meant ? meant.uri : meant.value
    return { values: {}, pieces: [{ text }], half: text.search(halves) }
  }
  const template = typeof meant.template === 'string' ? parseTemplate(meant.template) : meant.template
  try {
    return { template, values: meant.values, pieces: expandPieces(template, meant.values), half: -1 }
  } catch (error) {
    if ((error as TemplateValueError).code !== 'lone-surrogate') throw error
    const values = mend(meant.values)
    const pieces = expandPieces(template, values)
    return { template, values, pieces, half: textOf(pieces).indexOf('%EF%BF%BD') }
  }
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
  const { template, values, pieces, half } = rightOf(meant)
  const asUri = !('value' in meant)
  const uri = textOf(pieces)
  const found = new Map<
    UriFaultCode,
    { index: number; count: number; variables: Set<string>; spelled: boolean }
  >()
  /** The place in the received text of one in the text that it stands for. */
  let place = (index: number): number => index
  const note = (code: UriFaultCode, index: number, variable?: string, spelled = false): void => {
    const finding = found.get(code) ?? { index: place(index), count: 0, variables: new Set(), spelled }
    finding.count += 1
    if (variable) finding.variables.add(variable)
    found.set(code, finding)
  }
  if (half >= 0) note('lone-surrogate', Math.min(half, firstDifference(received, uri)))
  let encoder: readonly EncoderName[] = []
  if (!asUri && uri.includes('/') && received !== uri && uri.split('/').includes(received))
    note('cut-after-decoding', 0)
  else if (received !== uri) {
    let text = received
    if (asUri && /^[a-z][a-z0-9+.-]*%(25)*3a/i.test(received) && !/^[^:]*%3a/i.test(uri)) {
      note('whole-uri-encoded', received.indexOf('%'))
      text = decodeStrictly(received) ?? received
      place = (index) => Math.min(received.length, writtenAs(text.slice(0, index)).length)
    }
    const seen = new Set<string>()
    let best = Infinity
    let report = (): void => note('different', firstDifference(text, uri))
    const consider = ({ pieces, code }: Variant): void => {
      const tokens = seen.size === seen.add(textOf(pieces)).size ? [] : tokensOf(pieces, asUri)
      // A wrong variant must explain more than the right URI does.
      const surcharge = code ? 1 : 0
      const alignment = tokens.length > 0 ? align(tokens, text, best - surcharge) : undefined
      if (!alignment) return
      best = alignment.cost + surcharge
      report = () => {
        if (code) note(code, firstDifference(text, uri))
        for (const { codes, before } of alignment.steps)
          for (const fault of codes)
            if (fault !== 'lone-surrogate' || half < 0)
              note(
                (asUri ? undefined : ofValues[fault]) ?? fault,
                before!.at,
                tokens[before!.token]?.variable,
                true,
              )
        if (asUri && text === received) encoder = findEncoders(tokens, alignment.steps, received)
      }
    }
    consider({ pieces })
    if (asUri) consider(reordered(pieces, text))
    if (template) for (const variant of wrongVariants(template, values, text)) consider(variant)
    report()
    const decoded = asUri ? decodeStrictly(uri) : uri
    if (decoded !== uri && (received === decoded || received === decodeStrictly(`${decoded}`)))
      note('decoded-early', firstDifference(received, uri))
  }
  return Array.from(found, ([code, { index, count, variables, spelled }]) => ({
    code,
    message: inWords(code) + (variables.size > 0 ? ` (in ${[...variables].join(', ')})` : ''),
    index,
    count,
    repaired: half < 0 ? uri : undefined,
    ...(spelled && encoder.length > 0 ? { encoder } : undefined),
  }))
}
