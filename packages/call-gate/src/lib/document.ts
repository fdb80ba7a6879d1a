import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import type { Position } from './policy.ts'
import type { PolicyProblem } from './policy-error.ts'

/** The way to a value in a JSON document. */
export type Path = readonly (string | number)[]

/** A value with, where it was read from text, the places of its parts. */
export interface Document {
  readonly value: unknown
  readonly problems: readonly PolicyProblem[]
  /** Where the value at this path stands, or the nearest one around it. */
  position(path: Path): Position | undefined
}

/** `rules[3].when[0]` */
export const showPath = (path: Path): string =>
  path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : text === '' ? step : `${text}.${step}`),
    '',
  )

const positionIn = (text: string, offset: number): Position => {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/)
  return { line: before.length, column: (before[before.length - 1] as string).length + 1 }
}

function* duplicates(node: Node, path: Path): Generator<{ readonly node: Node; readonly path: Path }> {
  const seen = new Set<unknown>()
  for (const [index, child] of (node.children ?? []).entries()) {
    if (node.type === 'array') yield* duplicates(child, [...path, index])
    if (node.type !== 'object') continue
    const [key, value] = child.children ?? []
    if (!key) continue
    const place = [...path, String(key.value)]
    if (seen.has(key.value)) yield { node: key, path: place }
    seen.add(key.value)
    if (value) yield* duplicates(value, place)
  }
}

/** Reads JSON with comments and trailing commas; `at` chooses the part of the document that is meant. */
export function readDocument(source: string, at: Path): Document {
  const text = source.replace(/^\uFEFF/, '')
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true })
  const problems: PolicyProblem[] = errors.map((error) => ({
    code: 'syntax',
    message: `${printParseErrorCode(error.error)} in JSON with comments`,
    path: '',
    position: positionIn(text, error.offset),
  }))
  const part = root && findNodeAtLocation(root, [...at])
  if (!part && problems.length === 0) {
    problems.push({
      code: 'syntax',
      message: `there is nothing at ${showPath(at) || 'the top'}`,
      path: showPath(at),
    })
  }
  for (const { node, path } of part ? duplicates(part, []) : []) {
    problems.push({
      code: 'duplicate-member',
      message: `the member ${JSON.stringify(node.value)} stands here twice; keep one`,
      path: showPath(path),
      position: positionIn(text, node.offset),
    })
  }
  const position = (path: Path): Position | undefined => {
    for (let length = path.length; part && length >= 0; length -= 1) {
      const node = findNodeAtLocation(part, path.slice(0, length))
      if (node) return positionIn(text, node.offset)
    }
    return undefined
  }
  return { value: part && getNodeValue(part), problems, position }
}

/** A value that was not read from text here. */
export const valueDocument = (value: unknown): Document => ({
  value,
  problems: [],
  position: () => undefined,
})
