import type { Form } from './graph.ts'
import type { Part } from './parts.ts'
import type { Found } from './pieces.ts'
import type { Readable } from './program.ts'
import { settle } from './settle.ts'
import type { Place } from './walk.ts'

/**
 * The values that a path through the first parts of a graph gives, and that path as far as anything is written;
 * `undefined` where it contradicts itself.
 */
export function readPath(
  program: Readable,
  text: string,
  last: Place,
  reached: number,
  ignoring: boolean,
): Omit<Found, 'program'> | undefined {
  const parts = new Set(program.parts.slice(0, reached))
  const places: Place[] = []
  for (let place: Place | undefined = last; place?.before; place = place.before) places.push(place)
  places.reverse()
  const starts = new Map<Part | undefined, number>()
  for (const { node, from, to } of places)
    if (from < to && !starts.has(node.part)) starts.set(node.part, from)
  const path = places.filter(({ node }) => node.owner < 0 || starts.has(node.part))
  const received: { form: Form; texts: string[] }[] = []
  let inOrder = true
  let latest = 0
  for (const { node, from, to } of path) {
    const { owner, form } = node
    if (owner < 0) continue
    inOrder &&= owner >= latest
    latest = owner
    received[owner] ??= { form: form!, texts: [] }
    const known = received[owner]
    if (known.form !== form || (form === 'text' && known.texts.length > 0)) return undefined
    known.texts.push(text.slice(from, to))
  }
  const values = settle(program, received, (part) => (parts.has(part) ? !starts.has(part) : undefined))
  if (values === undefined) return undefined
  for (const part of parts) {
    if (part.type === 'literal') continue
    const { type, rule, variables, opening } = part
    const present = (of: typeof variables): number =>
      of.filter(({ name }) => Object.hasOwn(values, name)).length
    // `{?…}` writes its `?` only where one of its own variables is there, and `{a,b}` a comma between two empty texts.
    if (type === 'query' && text[starts.get(part) ?? -1] === '?') {
      if (!ignoring && present(variables.slice(0, opening)) === 0) return undefined
    } else if (rule.first === '' && !starts.has(part) && present(variables) > 1) return undefined
  }
  return { path, values, inOrder }
}
