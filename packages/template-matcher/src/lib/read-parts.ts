import type { Program, SlotsPart } from './program.ts'
import { readQuery, type UnknownKeys } from './query-pairs.ts'
import type { Occurrence } from './reading.ts'
import { agree, type Found, type MatchedValue, occurrenceValue, setOwn } from './settle.ts'
import { createVisited } from './visited.ts'
import { slotSpans, walkSlots } from './walk-slots.ts'

/** What the parts of a text say, once it is known where each part stands. */
export interface PartsReading {
  readonly values: Record<string, MatchedValue>
  /** Whether the query parameters stand in the order of the template. */
  readonly inOrder: boolean
}

/** What the text of one expression says; `undefined` where no values expand to it. */
function readSlots(
  part: SlotsPart,
  text: string,
  start: number,
  end: number,
  composite: boolean,
  step: () => void,
): Occurrence[] | undefined {
  if (start === end) return []
  let occurrences: Occurrence[] | undefined
  const visited = part.variables.length === 1 && !part.merge ? undefined : createVisited(start, end, step)
  walkSlots({ part, text, start, end, composite, visited, step }, (at, events) => {
    occurrences = slotSpans(part, events, at).map(({ variable, form, spans }) => {
      const { name, prefix } = part.variables[variable]!
      return { name, form, prefix, spans }
    })
    return true
  })
  return occurrences
}

/** The occurrences of variables in one part. */
export function occurrencesOf(
  program: Program,
  index: number,
  text: string,
  start: number,
  end: number,
  composite: boolean,
  unknown: UnknownKeys,
  step: () => void,
): { readonly occurrences: Occurrence[]; readonly inOrder: boolean } | undefined {
  const part = program.parts[index]!
  if (part.type === 'literal') return { occurrences: [], inOrder: true }
  if (part.type === 'query') return readQuery({ part, text, start, composite, unknown }, end)
  const occurrences = readSlots(part, text, start, end, composite, step)
  return occurrences && { occurrences, inOrder: true }
}

/** The values that a text gives when its parts stand at `bounds`; `undefined` where no values do. */
export function readParts(
  program: Program,
  text: string,
  bounds: readonly number[],
  composite: boolean,
  unknown: UnknownKeys,
  step: () => void,
): PartsReading | undefined {
  const { parts, repeated } = program
  const values: Record<string, MatchedValue> = {}
  const found = repeated.size > 0 ? new Map<string, Found[]>() : undefined
  let inOrder = true
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index]!
    if (part.type === 'literal') continue
    const start = bounds[index]!
    const end = bounds[index + 1]!
    const isSlots = part.type === 'slots'
    const lists = composite && !(isSlots && part.reserved) && !program.tolerant
    let present: Occurrence[]
    if (isSlots && part.plain) {
      if (!composite && part.listsInText && text.slice(start, end).includes(',')) return undefined
      const from = part.first < 0 ? start : start + 1
      const { name } = part.variables[0]!
      present = start === end ? [] : [{ name, form: 'text', prefix: 0, spans: [from, end] }]
    } else {
      const read = occurrencesOf(program, index, text, start, end, composite, unknown, step)
      if (read === undefined) return undefined
      present = read.occurrences
      inOrder &&= read.inOrder
    }
    const reserved = isSlots && (part.reserved || program.tolerant) && !part.named
    for (const occurrence of present) {
      const value = occurrenceValue(text, occurrence, lists, reserved)
      if (value === undefined) return undefined
      if (!repeated.has(occurrence.name)) setOwn(values, occurrence.name, value)
    }
    if (found === undefined) continue
    const left = [...present]
    for (const { name, prefix, explode } of part.variables) {
      if (!repeated.has(name)) continue
      const at = left.findIndex(
        (each) => each.name === name && each.prefix === prefix && (each.form === 'text') === !explode,
      )
      const occurrence = at < 0 ? undefined : left.splice(at, 1)[0]
      const value = occurrence && occurrenceValue(text, occurrence, lists, reserved)
      const mayBeEmpty = isSlots && part.first < 0 && start === end
      found.set(name, [...(found.get(name) ?? []), { value, prefix, mayBeEmpty }])
    }
  }
  if (found !== undefined) {
    for (const [name, each] of found) {
      const settled = agree(each)
      if (settled === undefined) return undefined
      if (settled.value !== undefined) setOwn(values, name, settled.value)
    }
    // `{a,b}` with two empty texts would have written a comma.
    for (const [index, part] of parts.entries()) {
      if (part.type !== 'slots' || part.first >= 0 || bounds[index] !== bounds[index + 1]) continue
      if (part.variables.filter(({ name }) => Object.hasOwn(values, name)).length > 1) return undefined
    }
  }
  return { values, inOrder }
}
