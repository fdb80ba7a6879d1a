import { pointerOf } from './pointer.ts'

/** Why a value has no canonical form. */
export type CanonicalJsonErrorCode = 'not-json' | 'too-deep' | 'cyclic'

/** A value that has no canonical form: what it is and where it stands. */
export class CanonicalJsonError extends Error {
  readonly code: CanonicalJsonErrorCode
  /** JSON Pointer to the value. */
  readonly pointer: string
  constructor(code: CanonicalJsonErrorCode, pointer: string, message: string) {
    super(`${message} at ${pointer === '' ? 'the top' : pointer}`)
    this.name = 'CanonicalJsonError'
    this.code = code
    this.pointer = pointer
  }
}

/** Options of {@link canonicalJson}. */
export interface CanonicalJsonOptions {
  /** How many objects and arrays may stand inside each other; 1,000 unless said otherwise. */
  readonly maxDepth?: number | undefined
}

// Printable ASCII without the two characters that JSON escapes: nothing to do but add quotes.
const plain = /^[ !#-[\]-~]*$/

const quote = (text: string): string => (plain.test(text) ? `"${text}"` : JSON.stringify(text))

/**
 * The canonical text of a JSON value: RFC 8785, members sorted by UTF-16 code units, no white space, numbers as
 * ECMAScript writes them. An unpaired surrogate, which RFC 8785 leaves out, is written as a lower-case `\u`
 * escape (tool definition hash v1, section 1). A member whose value is `undefined` is absent.
 *
 * @throws {CanonicalJsonError} for what JSON cannot say (`NaN`, functions, bigints, holes in arrays, objects with
 * a `toJSON`), for cycles, and past `maxDepth`
 */
export function canonicalJson(value: unknown, options?: CanonicalJsonOptions): string {
  const maxDepth = options?.maxDepth ?? 1000
  const inOrder = sorted(value, maxDepth)
  if (inOrder !== unordered) return JSON.stringify(inOrder)
  return write(value, maxDepth) ?? explain(value, maxDepth, [], new Set())
}

/** What cannot be put in order, or is not JSON: it is written member by member. */
const unordered = Symbol('unordered')

/**
 * The value with its members in canonical order, for the engine's own writer, which agrees with RFC 8785 in all but
 * order (section 3.2 is ECMAScript's). A value that is in order already is not copied. Engines move integer-like names
 * to the front and treat `__proto__` specially, so objects with such names are left to {@link write}.
 */
function sorted(node: unknown, depthLeft: number): unknown {
  if (typeof node === 'string' || node === null || node === true || node === false) return node
  if (typeof node === 'number') return Number.isFinite(node) ? node : unordered
  if (typeof node !== 'object' || depthLeft === 0) return unordered
  return Array.isArray(node)
    ? sortedArray(node, depthLeft - 1)
    : sortedObject(node as JsonMembers, depthLeft - 1)
}

function sortedArray(list: readonly unknown[], depthLeft: number): unknown {
  let copy: unknown[] | undefined
  for (let index = 0; index < list.length; index += 1) {
    const item = sorted(list[index], depthLeft)
    if (item === unordered) return unordered
    if (copy === undefined && item !== list[index]) copy = list.slice(0, index)
    copy?.push(item)
  }
  return copy ?? list
}

function sortedObject(object: JsonMembers, depthLeft: number): unknown {
  if (typeof object.toJSON === 'function') return unordered
  const own = Object.keys(object)
  const names = sortedNames(own)
  let copy: Record<string, unknown> | undefined = names === own ? undefined : {}
  for (const [index, name] of names.entries()) {
    const first = name.charCodeAt(0)
    if ((first >= 0x30 && first <= 0x39) || name === '__proto__') return unordered
    const child = object[name]
    const item = child === undefined ? undefined : sorted(child, depthLeft)
    if (item === unordered) return unordered
    if (copy === undefined && item !== child) {
      copy = {}
      for (const earlier of names.slice(0, index)) copy[earlier] = object[earlier]
    }
    if (copy !== undefined) copy[name] = item
  }
  return copy ?? object
}

/** The canonical text, or undefined where there is none; why, is found out afterwards. */
function write(node: unknown, depthLeft: number): string | undefined {
  if (typeof node === 'string') return quote(node)
  if (typeof node === 'number') return Number.isFinite(node) ? String(node === 0 ? 0 : node) : undefined
  if (node === null || node === true || node === false) return String(node)
  if (typeof node !== 'object' || depthLeft === 0) return undefined
  return Array.isArray(node)
    ? writeArray(node, depthLeft - 1)
    : writeObject(node as JsonMembers, depthLeft - 1)
}

type JsonMembers = Readonly<Record<string, unknown>>

function writeArray(list: readonly unknown[], depthLeft: number): string | undefined {
  let text = '['
  for (let index = 0; index < list.length; index += 1) {
    const item = write(list[index], depthLeft)
    if (item === undefined) return undefined
    text += index === 0 ? item : `,${item}`
  }
  return `${text}]`
}

function writeObject(object: JsonMembers, depthLeft: number): string | undefined {
  if (typeof object.toJSON === 'function') return undefined
  let text = '{'
  for (const member of sortedNames(Object.keys(object))) {
    const child = object[member]
    if (child === undefined) continue
    const item = write(child, depthLeft)
    if (item === undefined) return undefined
    text += text.length === 1 ? `${quote(member)}:${item}` : `,${quote(member)}:${item}`
  }
  return `${text}}`
}

/** Names in canonical order; the list itself where it is in order already. */
function sortedNames(names: readonly string[]): readonly string[] {
  for (let index = 1; index < names.length; index += 1) {
    if ((names[index - 1] as string) > (names[index] as string)) return names.toSorted()
  }
  return names
}

/** Finds the first thing that keeps a value from having a canonical form, and throws it. */
function explain(
  node: unknown,
  depthLeft: number,
  path: readonly (string | number)[],
  open: Set<object>,
): never {
  const fail = (code: CanonicalJsonErrorCode, message: string): never => {
    throw new CanonicalJsonError(code, pointerOf(path), message)
  }
  if (typeof node === 'number') return fail('not-json', `the number ${node}`)
  if (typeof node !== 'object' || node === null) return fail('not-json', `a value of type ${typeof node}`)
  if (open.has(node)) return fail('cyclic', 'a value inside itself')
  if (depthLeft === 0) return fail('too-deep', `more than ${open.size} levels`)
  if (typeof (node as JsonMembers).toJSON === 'function')
    return fail('not-json', 'an object with a toJSON method')
  open.add(node)
  const children: readonly (readonly [string | number, unknown])[] = Array.isArray(node)
    ? Array.from(node, (child: unknown, index) => [index, child] as const)
    : sortedNames(Object.keys(node)).map((member) => [member, (node as JsonMembers)[member]] as const)
  for (const [at, child] of children) {
    if (child === undefined && !Array.isArray(node)) continue
    if (write(child, depthLeft - 1) === undefined) return explain(child, depthLeft - 1, [...path, at], open)
  }
  return fail('not-json', 'a value that changes while it is read')
}
