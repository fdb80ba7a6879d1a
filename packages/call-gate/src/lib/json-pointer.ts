/** The reference tokens of a JSON Pointer (RFC 6901 section 3), or `undefined` where the text is none. */
export function parsePointer(pointer: string): readonly string[] | undefined {
  if (pointer === '') return []
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return undefined
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** The value at the pointer (RFC 6901 section 4); `undefined` where there is none. Inherited members are none. */
export function valueAt(value: unknown, tokens: readonly string[]): unknown {
  let at = value
  for (const token of tokens) {
    if (Array.isArray(at)) {
      if (!/^(?:0|[1-9][0-9]*)$/.test(token)) return undefined
      at = at[Number(token)]
    } else if (typeof at === 'object' && at !== null && Object.hasOwn(at, token)) {
      at = (at as Readonly<Record<string, unknown>>)[token]
    } else return undefined
  }
  return at
}
