import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { ConfigError, type Position } from './config-error.ts'
import type { Json, JsonObject } from './json.ts'

/** A parsed JSON or JSONC text whose nodes know where they stand. */
export interface ConfigDocument {
  readonly file: string
  readonly root: Node
  position(node: Node): Position
  /** A node as it is written, spelling included. */
  textOf(node: Node): string
}

/** One member of an object in the text. */
export interface Member {
  readonly name: string
  readonly key: Node
  readonly value: Node
}

/** Where a character of a text stands. */
export function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  return { line, column: offset - (before.lastIndexOf('\n') + 1) + 1 }
}

const faults: Partial<Record<string, string>> = {
  InvalidSymbol: 'this is no JSON value',
  InvalidNumberFormat: 'this is no JSON number',
  PropertyNameExpected: 'a member name in double quotes is missing here',
  ValueExpected: 'a value is missing here',
  ColonExpected: 'a ":" is missing here',
  CommaExpected: 'a "," is missing here',
  CloseBraceExpected: 'a "}" is missing here',
  CloseBracketExpected: 'a "]" is missing here',
  EndOfFileExpected: 'there is text after the end of the document',
  UnexpectedEndOfString: 'this string is not closed',
  UnexpectedEndOfComment: 'this comment is not closed',
  InvalidEscapeCharacter: 'this escape is not allowed in JSON; a backslash itself is written \\\\',
}

/** Parses JSON with comments and trailing commas. Throws {@link ConfigError} `syntax` at the first fault. */
export function parseDocument(text: string, file: string): ConfigDocument {
  const body = text.startsWith('\ufeff') ? text.slice(1) : text
  const errors: ParseError[] = []
  const root = parseTree(body, errors, { allowTrailingComma: true, disallowComments: false })
  const first = errors[0]
  if (first || !root) {
    const code = first ? printParseErrorCode(first.error) : 'ValueExpected'
    const fault = body.trim() === '' ? 'the file is empty' : (faults[code] ?? code)
    throw new ConfigError('syntax', file, positionAt(body, first?.offset ?? 0), `Not valid JSON: ${fault}`)
  }
  return {
    file,
    root,
    position: (node) => positionAt(body, node.offset),
    textOf: ({ offset, length }) => body.slice(offset, offset + length),
  }
}

/** The members of an object node, repeated ones included; nothing for any other node. */
export function membersOf(node: Node | undefined): readonly Member[] {
  if (node?.type !== 'object') return []
  return (node.children ?? []).flatMap((property) => {
    const [key, value] = property.children ?? []
    return key && value ? [{ name: String(key.value), key, value }] : []
  })
}

/** A member that an object has already, and the way to it. */
export interface RepeatedMember {
  readonly path: readonly (string | number)[]
  readonly first: Node
  readonly again: Node
}

/** The first name that stands twice in one object, among these members or below them. Names are compared decoded. */
export function findRepeatedMember(
  members: readonly Member[],
  path: RepeatedMember['path'] = [],
): RepeatedMember | undefined {
  const seen = new Map<string, Node>()
  for (const { name, key, value } of members) {
    const first = seen.get(name)
    if (first) return { path: [...path, name], first, again: key }
    seen.set(name, key)
    const found = findRepeatedBelow(value, [...path, name])
    if (found) return found
  }
  return undefined
}

function findRepeatedBelow(node: Node, path: RepeatedMember['path']): RepeatedMember | undefined {
  if (node.type !== 'array') return findRepeatedMember(membersOf(node), path)
  for (const [index, item] of (node.children ?? []).entries()) {
    const found = findRepeatedBelow(item, [...path, index])
    if (found) return found
  }
  return undefined
}

/** The last member of this name, as `JSON.parse` has it. */
export function memberOf(node: Node | undefined, name: string): Member | undefined {
  return membersOf(node).findLast((member) => member.name === name)
}

/** The JSON value of a node. A member called `__proto__` is data like any other. */
export function jsonOf(node: Node): Json {
  if (node.type === 'array') return (node.children ?? []).map(jsonOf)
  if (node.type !== 'object') return node.value as Json
  const object: JsonObject = {}
  for (const { name, value } of membersOf(node)) {
    Object.defineProperty(object, name, {
      value: jsonOf(value),
      enumerable: true,
      writable: true,
      configurable: true,
    })
  }
  return object
}

/** The node at a path below another one, or the nearest one above it. */
export function nodeAt(node: Node, path: readonly PropertyKey[]): Node {
  let at = node
  for (const step of path) {
    const next = typeof step === 'number' ? at.children?.[step] : memberOf(at, String(step))?.value
    if (!next) return at
    at = next
  }
  return at
}
