import { canonicalJson } from './canonical-json.ts'
import { invisibles } from './invisible.ts'

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * A JSON value on one line: its canonical text, in which every character that does not show as itself is written as
 * a `\u` escape, so that a diff viewer shows it.
 */
export const lineOf = (value: unknown): string =>
  canonicalJson(value).replace(invisibles, (character) => character.split('').map(escapeUnit).join(''))

/** The lines, each two spaces further in. */
export const indent = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`)

/** `"name": value` over as many lines as the value has. */
export const member = (name: string, value: readonly string[]): string[] => [
  `${lineOf(name)}: ${value[0]}`,
  ...value.slice(1),
]

/** An object of fixed members: they always stand in the same order, so the commas stay where they are. */
export function block(members: readonly (readonly string[])[]): string[] {
  const lines = members.flatMap((lines, index) =>
    index === members.length - 1 ? lines : [...lines.slice(0, -1), `${lines.at(-1)},`],
  )
  return ['{', ...indent(lines), '}']
}

/**
 * An object of entries that come and go. The comma between two has a line of its own: putting an entry in, wherever
 * it goes, is then an insertion that touches no other line, and so no conflict with a change of its neighbours.
 */
export function entries(members: readonly (readonly string[])[]): string[] {
  const lines = members.flatMap((lines, index) => (index === 0 ? lines : [',', ...lines]))
  return ['{', ...indent(lines), '}']
}
