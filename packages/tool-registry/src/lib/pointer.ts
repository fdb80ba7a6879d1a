/** A path into a JSON value: member names and array indexes. */
export type JsonPath = readonly (string | number)[]

/** The JSON Pointer of a path (RFC 6901 section 3: `~` is `~0`, `/` is `~1`); `''` is the whole value. */
export const pointerOf = (path: JsonPath): string =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** The reference tokens of a JSON Pointer, unescaped (RFC 6901 section 4), or undefined if it is not one. */
export function parsePointer(pointer: string): string[] | undefined {
  if (pointer === '') return []
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return undefined
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}
