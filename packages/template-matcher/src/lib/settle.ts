import { canonicalText } from './canonical.ts'
import type { Form } from './graph.ts'
import { decodeOnce, type MatchedValue, setOwn } from './matched-values.ts'
import type { ExpressionPart } from './parts.ts'
import type { Occurrence, Readable } from './program.ts'

/** The texts that a value is written with, keys of members before their values. */
export interface Written {
  readonly form: Form
  readonly texts: readonly string[]
}

const decoded = ({ form, texts }: Written): Written => ({ form, texts: texts.map(decodeOnce) })

/** The value of decoded texts; `undefined` for a map that names a member twice. */
function matchedValue({ form, texts }: Written): MatchedValue | undefined {
  if (form !== 'map') return form === 'list' ? texts : texts[0]!
  const map: Record<string, string> = {}
  for (let at = 0; at < texts.length; at += 2) {
    if (Object.hasOwn(map, texts[at]!)) return undefined
    setOwn(map, texts[at]!, texts[at + 1]!)
  }
  return map
}

/** What received texts can stand for, the preferred first. */
function readingsOf(received: Written, { name, explode, part }: Occurrence): Written[] {
  const { form, texts } = received
  const { named, separator } = part.rule
  const read = decoded(received)
  if (form === 'text' && !part.loose && texts[0]!.includes(','))
    return [decoded({ form: 'list', texts: texts[0]!.split(',') })]
  if (form !== 'list' || !explode) return [read]
  const members = decoded({ form: 'map', texts: texts.flatMap((text) => text.split(/=(.*)/s, 2)) })
  const isMap =
    part.loose && !part.apart && !named && texts.every((text) => text.includes('=')) && matchedValue(members)
  // All of it as one item, which may hold what separates items, or as one text; or one member that is named like the variable.
  const whole = [decodeOnce(texts.join(separator))]
  return [
    ...(isMap ? [members] : []),
    read,
    named ? { form: 'map', texts: [decodeOnce(name), ...whole] } : { form, texts: whole },
    { form: 'text', texts: whole },
  ]
}

const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (left) => `%${left.charCodeAt(0).toString(16).toUpperCase()}`)

/** What an expression writes for one variable. */
function write({ form, texts }: Written, { key, explode, part }: Occurrence): string {
  const { named, ifEmpty, separator } = part.rule
  const pair = (name: string, text: string): string =>
    named ? name + (text === '' ? ifEmpty : `=${text}`) : text
  if (!explode) return pair(key, texts.join(','))
  return texts
    .flatMap((text, at) => {
      if (form !== 'map') return pair(key, text)
      return at % 2 === 0 ? [] : named ? pair(texts[at - 1]!, text) : `${texts[at - 1]}=${text}`
    })
    .join(separator)
}

/** Whether a value is written with the texts that were received. */
function isWrittenAs(value: Written, received: Written, occurrence: Occurrence): boolean {
  const { prefix, part } = occurrence
  if (prefix > 0 && value.form !== 'text') return false
  const texts = value.texts.map((text) => {
    const kept = prefix > 0 ? [...text].slice(0, prefix).join('') : text
    return part.loose ? kept : encoded(kept)
  })
  return (
    write({ ...value, texts }, occurrence) ===
    write({ ...received, texts: received.texts.map(part.loose ? decodeOnce : canonicalText) }, occurrence)
  )
}

/** What an expression without a first character may have written where there is nothing. */
const nothing: Written = { form: 'text', texts: [''] }

/**
 * The values that were written with the texts received, by the place of their occurrence: all occurrences of a variable
 * are written from one value (convention C5). `undefined` where they cannot be. `isEmpty` says whether a part writes
 * nothing, or `undefined` where that is not known yet.
 */
export function settle(
  { occurrences, owners }: Readable,
  received: readonly (Written | undefined)[],
  isEmpty: (part: ExpressionPart) => boolean | undefined,
): Record<string, MatchedValue> | undefined {
  const values: Record<string, MatchedValue> = {}
  for (const [name, places] of owners) {
    if (!places.some((owner) => received[owner])) continue
    const all = places.flatMap((owner) => {
      const occurrence = occurrences[owner]!
      const empty = isEmpty(occurrence.part)
      const absent = empty && occurrence.part.rule.first === '' ? nothing : undefined
      return empty === undefined ? [] : { occurrence, given: received[owner] ?? absent }
    })
    const readings = all.flatMap(({ occurrence, given }) => (given ? readingsOf(given, occurrence) : []))
    const agreed =
      all.length === 1
        ? readings[0]
        : readings
            // What is a list or map somewhere may read as a text elsewhere.
            .sort((left, right) => +(left.form === 'text') - +(right.form === 'text'))
            .find((value) =>
              all.every(({ occurrence, given }) => given && isWrittenAs(value, given, occurrence)),
            )
    const value = agreed && matchedValue(agreed)
    if (value === undefined) return undefined
    setOwn(values, name, value)
  }
  return values
}
