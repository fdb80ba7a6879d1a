import { tryDigestDefinition } from './digest.ts'
import { byCodeUnits, type Json, type JsonObject } from './json.ts'
import type { Substitutions } from './lock.ts'
import { type JsonPath, pointerOf } from './pointer.ts'
import { type CatalogueList, listOf, nameMember, ownName, type Surface } from './surface.ts'

/** Values of the machine by placeholder: `cwd`, `home`, `hostname`, `os`, or others the operator names. */
export type MachineFacts = Readonly<Record<string, string>>

/** A place in a surface where a value of the machine stands. */
export interface SubstitutionFinding {
  readonly placeholder: string
  /** JSON Pointer from the server's lock entry. */
  readonly pointer: string
  /** The string with the placeholder in it, as it would be recorded. */
  readonly text: string
}

/** The text that stands for a value of the machine. */
export const placeholderText = (placeholder: string): string => `\${${placeholder}}`

const lists: readonly CatalogueList[] = ['tools', 'prompts', 'templates']

/** Where a definition at a path has the member that names it, which is its key and stays as the server says it. */
const namePointerOf = ([list, name]: JsonPath): string | undefined =>
  typeof list === 'string' && Object.hasOwn(nameMember, list) && name !== undefined
    ? pointerOf([list, name, nameMember[list as CatalogueList]])
    : undefined

/** Longer values first, so that a folder inside the home folder is taken as the folder it is. */
const byLength = (machine: MachineFacts): [string, string][] =>
  Object.entries(machine)
    .filter(([, value]) => value !== '')
    .sort(([a, first], [b, second]) => second.length - first.length || byCodeUnits(a, b))

/** A value that is an ordinary word counts only where the text says what it is, or where it is the whole text. */
const isOrdinaryWord = (value: string): boolean => /^\p{L}+$/u.test(value)
const saysWhatItIs =
  /(?:\b(?:os|platform|operating system|host ?name|host|machine|computer|running on|runs on|user)\b)[\s:="'`(]{0,4}$/i

const isWordCharacter = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}_]/u.test(character)

/** Whether a value stands free at a place: not as a part of a longer word or of another folder's name. */
function standsFree(text: string, at: number, value: string): boolean {
  const [before, after] = [text[at - 1], text[at + value.length]]
  if (isWordCharacter(value[0]) && isWordCharacter(before)) return false
  if (isWordCharacter(value.at(-1)) && (isWordCharacter(after) || after === '-')) return false
  return !isOrdinaryWord(value) || text === value || saysWhatItIs.test(text.slice(0, at))
}

/**
 * A text with placeholders where values stand free, and the placeholders it came to hold. Every `$` of the text itself
 * is doubled, so that no text can pass for one with a placeholder in it.
 */
function encode(text: string, values: readonly (readonly [placeholder: string, value: string])[]) {
  let result = ''
  const used = new Set<string>()
  for (let at = 0; at < text.length; ) {
    const found = values.find(([, value]) => text.startsWith(value, at) && standsFree(text, at, value))
    if (found) {
      result += placeholderText(found[0])
      used.add(found[0])
    } else result += text[at] === '$' ? '$$' : text[at]
    at += found?.[1].length ?? 1
  }
  return { text: result, used: [...used] }
}

/** The text that was encoded, with the values of a machine. */
const decode = (text: string, machine: MachineFacts): string =>
  text.replaceAll(/\$(?:\$|\{([^}]*)\})/g, (whole, placeholder: string | undefined) => {
    if (placeholder === undefined) return '$'
    return Object.hasOwn(machine, placeholder) ? (machine[placeholder] ?? '') : whole
  })

/**
 * Finds where the definitions and instructions of a surface hold values of the machine. Nothing is replaced: the
 * findings are for a reviewer, who decides which become substitutions of the lock. The `name` or `uriTemplate` of a
 * definition is never among them: it is the key of the entry, and a key is compared exactly.
 */
export function findSubstitutions(surface: Surface, machine: MachineFacts): SubstitutionFinding[] {
  const findings: SubstitutionFinding[] = []
  const values = byLength(machine)
  const look = (value: unknown, path: JsonPath): void => {
    if (path.length === 3 && pointerOf(path) === namePointerOf(path)) return
    if (typeof value === 'string') {
      const { text, used } = encode(value, values)
      for (const placeholder of used) findings.push({ placeholder, pointer: pointerOf(path), text })
    } else if (Array.isArray(value)) {
      value.forEach((child, index) => {
        look(child, [...path, index])
      })
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, child] of Object.entries(value)) look(child, [...path, name])
    }
  }
  for (const list of lists) {
    for (const definition of listOf(surface, list)) {
      const name = ownName(definition, list)
      // What has no canonical form cannot be locked, and may be nested deeper than the stack is.
      if (name !== undefined && tryDigestDefinition(definition) !== undefined) look(definition, [list, name])
    }
  }
  look(surface.instructions, ['instructions'])
  return findings
}

/** The findings as the lock records them. */
export function toSubstitutions(findings: readonly SubstitutionFinding[]): Substitutions {
  const byPlaceholder = new Map<string, Set<string>>()
  for (const { placeholder, pointer } of findings) {
    byPlaceholder.set(placeholder, (byPlaceholder.get(placeholder) ?? new Set()).add(pointer))
  }
  return Object.fromEntries(
    [...byPlaceholder]
      .sort(([a], [b]) => byCodeUnits(a, b))
      .map(([name, pointers]) => [name, [...pointers].sort()]),
  )
}

/**
 * Writes names such as `${cwd}` where this machine's values stand, exactly where the lock says so, and never into a key,
 * which has to be found as it is.
 */
export const substitute = (
  value: Json,
  path: JsonPath,
  substitutions: Substitutions,
  machine: MachineFacts,
): Json =>
  rewrite(value, path, substitutions, (text, placeholders) => {
    return encode(
      text,
      byLength(machine).filter(([placeholder]) => placeholders.includes(placeholder)),
    ).text
  })

/** Puts this machine's values in place of placeholders, exactly where the lock says so: what is served. */
export const materialize = (
  value: Json,
  path: JsonPath,
  substitutions: Substitutions,
  machine: MachineFacts,
): Json => rewrite(value, path, substitutions, (text) => decode(text, machine))

function rewrite(
  value: Json,
  path: JsonPath,
  substitutions: Substitutions,
  change: (text: string, placeholders: readonly string[]) => string,
): Json {
  const byPointer = new Map<string, string[]>()
  const start = pointerOf(path)
  for (const [placeholder, pointers] of Object.entries(substitutions)) {
    for (const pointer of pointers) {
      if (pointer !== start && !pointer.startsWith(`${start}/`)) continue
      byPointer.set(pointer, [...(byPointer.get(pointer) ?? []), placeholder])
    }
  }
  const named = namePointerOf(path)
  if (named !== undefined) byPointer.delete(named)
  if (byPointer.size === 0) return value
  const walk = (node: Json, pointer: string): Json => {
    if (typeof node === 'string') {
      const placeholders = byPointer.get(pointer)
      return placeholders ? change(node, placeholders) : node
    }
    if (Array.isArray(node))
      return node.map((child: Json, index) => walk(child, pointer + pointerOf([index])))
    if (typeof node !== 'object' || node === null) return node
    return Object.fromEntries(
      Object.entries(node as JsonObject).map(([name, child]) => [
        name,
        child === undefined ? undefined : walk(child, pointer + pointerOf([name])),
      ]),
    ) as JsonObject
  }
  return walk(value, start)
}
