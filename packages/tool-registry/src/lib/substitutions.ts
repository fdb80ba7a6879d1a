import { byCodeUnits, type Json, type JsonObject } from './json.ts'
import type { Substitutions } from './lock.ts'
import { type JsonPath, pointerOf } from './pointer.ts'
import { type CatalogueList, listOf, ownName, type Surface } from './surface.ts'

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

/** Puts a placeholder where a value stands free. */
function replaceFree(text: string, value: string, by: string): string {
  let result = ''
  let from = 0
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length)) {
    if (!standsFree(text, at, value)) continue
    result += text.slice(from, at) + by
    from = at + value.length
  }
  return result + text.slice(from)
}

/**
 * Finds where the definitions and instructions of a surface hold values of the machine. Nothing is replaced: the
 * findings are for a reviewer, who decides which become substitutions of the lock.
 */
export function findSubstitutions(surface: Surface, machine: MachineFacts): SubstitutionFinding[] {
  const findings: SubstitutionFinding[] = []
  const look = (value: unknown, path: JsonPath): void => {
    if (typeof value === 'string') {
      let text = value
      const found: string[] = []
      for (const [placeholder, machineValue] of byLength(machine)) {
        if (value.includes(placeholderText(placeholder))) continue
        const next = replaceFree(text, machineValue, placeholderText(placeholder))
        if (next !== text) found.push(placeholder)
        text = next
      }
      const pointer = pointerOf(path)
      for (const placeholder of found) findings.push({ placeholder, pointer, text })
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
      if (name !== undefined) look(definition, [list, name])
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
 * Puts placeholders in place of this machine's values, exactly where the lock says so. A string that already holds
 * the placeholder's own text is left as it is, so that a server cannot pass the placeholder off as the value.
 */
export const substitute = (
  value: Json,
  path: JsonPath,
  substitutions: Substitutions,
  machine: MachineFacts,
): Json =>
  rewrite(value, path, substitutions, (text, placeholders) => {
    if (placeholders.some((placeholder) => text.includes(placeholderText(placeholder)))) return text
    return byLength(machine)
      .filter(([placeholder]) => placeholders.includes(placeholder))
      .reduce((result, [placeholder, own]) => replaceFree(result, own, placeholderText(placeholder)), text)
  })

/** Puts this machine's values in place of placeholders, exactly where the lock says so: what is served. */
export const materialize = (
  value: Json,
  path: JsonPath,
  substitutions: Substitutions,
  machine: MachineFacts,
): Json =>
  rewrite(value, path, substitutions, (text, placeholders) =>
    placeholders.reduce(
      (result, placeholder) =>
        Object.hasOwn(machine, placeholder)
          ? result.replaceAll(placeholderText(placeholder), () => machine[placeholder] ?? '')
          : result,
      text,
    ),
  )

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
