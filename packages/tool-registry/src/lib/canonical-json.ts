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
  const path: (string | number)[] = []
  const open = new Set<object>()

  const fail = (code: CanonicalJsonErrorCode, message: string): never => {
    throw new CanonicalJsonError(code, pointerOf(path), message)
  }

  const enter = (container: object): void => {
    if (open.size >= maxDepth) fail('too-deep', `more than ${maxDepth} levels`)
    if (open.has(container)) fail('cyclic', 'a value inside itself')
    open.add(container)
  }

  const write = (node: unknown): string => {
    if (typeof node === 'string') return quote(node)
    if (node === null || node === true || node === false) return String(node)
    if (typeof node === 'number') {
      return Number.isFinite(node) ? String(node === 0 ? 0 : node) : fail('not-json', `the number ${node}`)
    }
    if (typeof node !== 'object') return fail('not-json', `a value of type ${typeof node}`)
    return Array.isArray(node) ? writeArray(node) : writeObject(node as Record<string, unknown>)
  }

  const writeArray = (list: readonly unknown[]): string => {
    enter(list)
    let text = '['
    for (let index = 0; index < list.length; index += 1) {
      path.push(index)
      text += index === 0 ? write(list[index]) : `,${write(list[index])}`
      path.pop()
    }
    open.delete(list)
    return `${text}]`
  }

  const writeObject = (object: Record<string, unknown>): string => {
    enter(object)
    if (typeof object.toJSON === 'function') fail('not-json', 'an object with a toJSON method')
    let text = '{'
    for (const member of Object.keys(object).sort()) {
      const child = object[member]
      if (child === undefined) continue
      path.push(member)
      text += `${text.length === 1 ? '' : ','}${quote(member)}:${write(child)}`
      path.pop()
    }
    open.delete(object)
    return `${text}}`
  }

  return write(value)
}
