import { isObject } from './json.ts'
import type { Key } from './key.ts'
import { pointerOf } from './pointer.ts'
import { kindOf, ownName, type Surface } from './surface.ts'

/** One text of a surface that a model or an operator may see. */
export interface SurfaceText {
  readonly text: string
  /** JSON Pointer from the surface: to the string, or to the member whose name it is. */
  readonly pointer: string
  /** Whether the text is a value or the name of a member. */
  readonly role: 'value' | 'name'
  /** The definition it stands in, where that has a name. */
  readonly key: Key | undefined
}

const parts = [
  'serverInfo',
  'capabilities',
  'instructions',
  'tools',
  'prompts',
  'resourceTemplates',
  'resources',
] as const
const listOfPart = { tools: 'tools', prompts: 'prompts', resourceTemplates: 'templates' } as const

/** Every string and every member name of a surface, whatever it stands in. */
export function* surfaceTexts(surface: Surface, server: string): Generator<SurfaceText> {
  for (const part of parts) {
    const value = surface[part]
    if (!Array.isArray(value)) {
      yield* textsOf(value, [part], undefined)
      continue
    }
    for (const [index, item] of value.entries())
      yield* textsOf(item, [part, index], keyOf(item, part, server))
  }
}

function keyOf(item: unknown, part: (typeof parts)[number], server: string): Key | undefined {
  if (part === 'tools' || part === 'prompts' || part === 'resourceTemplates') {
    const name = ownName(item, listOfPart[part])
    return name === undefined ? undefined : { server, kind: kindOf[listOfPart[part]], name }
  }
  const uri = isObject(item) ? item.uri : undefined
  return typeof uri === 'string' ? { server, kind: 'resource', name: uri } : undefined
}

interface Open {
  readonly value: unknown
  readonly pointer: string
}

/** Walks without recursion: a hostile value may be nested deeper than the stack is. */
function* textsOf(
  root: unknown,
  path: readonly (string | number)[],
  key: Key | undefined,
): Generator<SurfaceText> {
  const open: Open[] = [{ value: root, pointer: pointerOf(path) }]
  const seen = new Set<object>()
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, pointer } = next
    if (typeof value === 'string') yield { text: value, pointer, role: 'value', key }
    if (typeof value !== 'object' || value === null || seen.has(value)) continue
    seen.add(value)
    const members = Object.entries(value).map(([name, child]) => ({
      name,
      value: child,
      pointer: pointer + pointerOf([name]),
    }))
    if (!Array.isArray(value)) {
      for (const { name, pointer: at } of members) yield { text: name, pointer: at, role: 'name', key }
    }
    for (const { value: child, pointer: at } of members.reverse()) open.push({ value: child, pointer: at })
  }
}
