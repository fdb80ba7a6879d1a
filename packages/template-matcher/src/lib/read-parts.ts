import type { QueryPart, SlotsPart } from './parts.ts'
import type { Program } from './program.ts'
import type { UnknownKeys } from './query-pairs.ts'
import { type QueryReading, readQuery } from './read-query.ts'
import type { Occurrence } from './reading.ts'
import { agree, decodeOnce, type Found, type MatchedValue, occurrenceValue, setOwn } from './settle.ts'
import { slotsAutomaton } from './slots-automaton.ts'
import { createVisited, type Visited } from './visited.ts'
import { spansOf, walkAutomaton } from './walk-automaton.ts'

/** What the parts of a text say, once it is known where each part stands. */
export interface PartsReading {
  readonly values: Record<string, MatchedValue>
  /** Whether the query parameters stand in the order of the template. */
  readonly inOrder: boolean
  /** How each part was read. */
  readonly ways: readonly (Way | undefined)[]
}

/** How many steps are spent on other ways to share slots out, where the preferred one contradicts itself. */
const sharingBound = 50_000
/** How many ways of one expression are looked at for repeated variables, and how many steps are spent on all together. */
const waysBound = 64
const combiningBound = 200_000

/** A text whose parts are known, to be read. */
interface PartsTask {
  readonly program: Program
  readonly text: string
  readonly bounds: readonly number[]
  readonly composite: boolean
  readonly unknown: UnknownKeys
  /** Whether query parameters must stand in the order of the template. */
  readonly inOrder: boolean
  readonly step: (count?: number) => void
}

/** What one part can say of its variables. */
interface Way extends QueryReading {
  /** The values of its occurrences by the place of the variable, made when first needed. */
  said?: readonly (Pick<Found, 'value' | 'other'> | undefined)[]
}

/** What the text of one expression says, the preferred way first, at most `most` ways. */
function slotWays(task: PartsTask, part: SlotsPart, start: number, end: number, most: number): Way[] {
  const { text, composite, step } = task
  const automaton = slotsAutomaton(part, composite)
  const ways: Way[] = []
  let isReached = false
  const walk = (visited: Visited | undefined, bound?: number): void => {
    walkAutomaton(automaton, { text, start, end, visited, step, bound }, (_, path) => {
      isReached = true
      const way: Way = { occurrences: spansOf(automaton, path), inOrder: true }
      if (saidBy(task, part, way) !== undefined) ways.push(way)
      return visited !== undefined || ways.length >= most
    })
  }
  walk(createVisited(start, end, (cells) => step(cells >> 3)))
  if (isReached && (most > 1 || ways.length === 0)) {
    const preferred = ways.splice(0)
    walk(undefined, sharingBound)
    if (ways.length === 0) return preferred
  }
  return ways
}

/** How many texts a way is made of, and one more. */
const sizeOf = ({ occurrences }: Way): number => occurrences.reduce((sum, { spans }) => sum + spans.length, 1)

const absent: Way = { occurrences: [], inOrder: true, said: [] }

/** The ways to read the part at `index`; none where no values expand to its text. */
function waysOf(task: PartsTask, index: number, most = 1): readonly Way[] {
  const { program, text, bounds, composite, unknown } = task
  const part = program.parts[index]!
  const start = bounds[index]!
  const end = bounds[index + 1]!
  if (part.type === 'literal' || start === end) return [absent]
  if (part.type === 'query') {
    const ways: Way[] = []
    const each: Way[] = []
    readQuery({ part, text, start, composite, unknown }, end, most > 1, task.step, (way) => {
      each[index] = way
      if (task.inOrder && !way.inOrder) return false
      if (most === 1 || valuesOf(task, each, true) !== undefined) ways.push(way)
      return ways.length >= most
    })
    return ways
  }
  if (!part.plain) return slotWays(task, part, start, end, part.variables.length > 1 ? most : 1)
  if (!composite && !part.variables[0]!.listed && part.delimited && text.slice(start, end).includes(','))
    return []
  const spans = [part.first < 0 ? start : start + 1, end]
  return [{ occurrences: [{ variable: 0, form: 'text', spans }], inOrder: true }]
}

/** What the text of an exploded variable can be read as besides `value`: a map of one member, a list of what look like members, or one item. */
function otherValue(
  { text, composite }: PartsTask,
  part: SlotsPart | QueryPart,
  occurrence: Occurrence,
  value: MatchedValue,
): MatchedValue | undefined {
  const { variable, form, spans } = occurrence
  if (form !== 'list' || !composite) return undefined
  if (!Array.isArray(value)) return occurrenceValue(text, occurrence, true, false)
  // Where an item may hold what separates items, a list may be one.
  if (part.type === 'slots' && part.merge && value.length > 1)
    return [decodeOnce(text.slice(spans[0], spans.at(-1)))]
  if (value.length > 1 || (part.type === 'slots' && !part.named)) return undefined
  const map: Record<string, string> = {}
  setOwn(map, decodeOnce(part.variables[variable]!.name), value[0])
  return map
}

/** What the occurrences of one way say; `undefined` where one contradicts itself. */
function saidBy(task: PartsTask, part: SlotsPart | QueryPart, way: Way): Way['said'] {
  if (way.said !== undefined) return way.said
  const { program, text, composite } = task
  const isSlots = part.type === 'slots'
  const said: Pick<Found, 'value' | 'other'>[] = []
  for (const occurrence of way.occurrences) {
    const { name, prefix, listed } = part.variables[occurrence.variable]!
    const mayList = prefix === 0 && (composite || listed) && !(isSlots && part.reserved) && !program.tolerant
    const value = occurrenceValue(text, occurrence, mayList, isSlots && !part.named && !part.delimited)
    if (value === undefined) return undefined
    const other = program.repeated.has(name) ? otherValue(task, part, occurrence, value) : undefined
    said[occurrence.variable] = { value, other }
  }
  way.said = said
  return said
}

/** The values of parts read in these ways; `undefined` where repeated variables or keys do not agree. Holes are left out. */
function valuesOf(task: PartsTask, ways: readonly Way[], emptyToo: boolean): PartsReading | undefined {
  const { program, bounds } = task
  const { parts, repeated } = program
  const values: Record<string, MatchedValue> = {}
  const found = new Map<string, Found[]>()
  for (const [index, part] of parts.entries()) {
    const way = ways[index]
    if (part.type === 'literal' || way === undefined) continue
    const said = saidBy(task, part, way)
    if (said === undefined) return undefined
    const mayBeEmpty =
      emptyToo && part.type === 'slots' && part.first < 0 && bounds[index] === bounds[index + 1]
    const keepsCommas = part.type === 'slots' && part.reserved
    const joint = part.type === 'slots' && part.merge ? String.fromCharCode(part.separator) : undefined
    for (const [j, { name, prefix, explode }] of part.variables.entries()) {
      const { value, other } = said[j] ?? { value: undefined }
      if (repeated.has(name))
        found.set(name, [
          ...(found.get(name) ?? []),
          { value, other, prefix, explode, joint, mayBeEmpty, keepsCommas },
        ])
      else if (value !== undefined) setOwn(values, name, value)
    }
  }
  for (const [name, each] of found) {
    const settled = agree(each)
    if (settled === undefined) return undefined
    if (settled.value !== undefined) setOwn(values, name, settled.value)
  }
  // `{a,b}` with two empty texts would have written a comma.
  if (repeated.size > 0)
    for (const [index, part] of parts.entries()) {
      if (part.type !== 'slots' || part.first >= 0 || bounds[index] !== bounds[index + 1]) continue
      if (part.variables.filter(({ name }) => Object.hasOwn(values, name)).length > 1) return undefined
    }
  return { values, inOrder: ways.every(({ inOrder }) => inOrder), ways }
}

/**
 * The values that a text gives when its parts stand at `bounds`; `undefined` where no values do. Where variables are
 * repeated, other ways to share slots and pairs out are tried within a bound.
 */
export function readParts(task: PartsTask): PartsReading | undefined {
  const { parts, repeated } = task.program
  const ways: (readonly Way[])[] = []
  for (let index = 0; index < parts.length; index += 1) {
    const each = waysOf(task, index, repeated.size === 0 ? 1 : waysBound)
    if (each.length === 0) return undefined
    ways.push(each)
  }
  if (repeated.size === 0)
    return valuesOf(
      task,
      ways.map(([way]) => way!),
      false,
    )
  let spent = 0
  // That a variable which seems absent is there, but empty, is what is thought of last.
  for (const emptyToo of [false, true]) {
    const chosen: Way[] = []
    for (const cursors = [0]; cursors.length > 0 && spent < combiningBound; ) {
      const index = cursors.length - 1
      const way = ways[index]![cursors[index]!]
      cursors[index]! += 1
      chosen.length = index
      if (way === undefined) cursors.pop()
      else {
        chosen.push(way)
        const isLast = index + 1 === parts.length
        const steps = chosen.reduce((sum, each) => sum + sizeOf(each), 0)
        spent += steps
        task.step(steps)
        const reading = isLast || ways[index]!.length > 1 ? valuesOf(task, chosen, emptyToo) : undefined
        if (isLast && reading !== undefined) return reading
        // What contradicts itself so far is not gone on with.
        if (!isLast && (reading !== undefined || ways[index]!.length === 1)) cursors.push(0)
      }
    }
  }
  return undefined
}
