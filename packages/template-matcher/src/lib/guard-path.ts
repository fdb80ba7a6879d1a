/** How a path is guarded and normalized. */
export interface GuardOptions {
  /** On `windows` a backslash separates, and names that the system reads as others are refused. `posix` by default. */
  readonly platform?: 'posix' | 'windows'
  /** `fold` makes paths that differ by case equal, by lower-casing them. `keep` by default. */
  readonly case?: 'keep' | 'fold'
}

/**
 * Why a path is refused: `traversal` a component `..`; `absolute` a slash of either kind at the start; `drive` a drive
 * letter at the start; `nul` a NUL character; `reserved` (Windows) a name the system reads as another: a device, a
 * stream after `:`, a trailing dot or space. A drive letter or backslash that only components `.` stand before is at
 * the start.
 */
export type GuardCode = 'traversal' | 'absolute' | 'drive' | 'nul' | 'reserved'

/** A path that is safe to look up below a root, or why it is not; `index` in UTF-16 code units of the value. */
export type GuardedPath =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly code: GuardCode; readonly index: number }

/** What stands before what is refused; a path starts behind components `.`, and a Kelvin sign in lower case is a k. */
const refused = [
  ['nul', /^[^\0]*(?=\0)/],
  ['absolute', /^(?=[/\\])|^(?:\.\/+)+(?=\\)/],
  ['drive', /^(?:\.[/\\]+)*(?=[a-z\u212a]:)/i],
] as const
/**
 * Where Windows reads a name as another: a device, also with spaces before its extension, a stream after `:`, a dot or
 * space at the end, but for `.` itself.
 */
const reserved = /^(?:con|prn|aux|nul|conin\$|conout\$|com[1-9¹²³]|lpt[1-9¹²³]) *(?:\.|$)|:|(?!^\.$)[. ]$/i

/**
 * Guards a decoded path before anything is located by it, and normalizes it: repeated slashes, `.` components and a
 * slash at the end go, so that `a//b` and `a/b` are one resource. Components are looked at as decoded, before any dot
 * is resolved; either slash separates them for the guard. `v1..v2` and `.env` pass.
 *
 * @param value the decoded value: a text, or the components of an exploded list, each of which may hold slashes
 */
export function guardPath(value: string | readonly string[], options: GuardOptions = {}): GuardedPath {
  const text = typeof value === 'string' ? value : value.join('/')
  const windows = options.platform === 'windows'
  for (const [code, before] of refused) {
    const index = before.exec(text)?.[0].length
    if (index !== undefined) return { ok: false, code, index }
  }
  let index = 0
  for (const component of text.split(/[/\\]/)) {
    // Windows drops dots and spaces at the end: `.. ` is `..` there.
    if (component === '..' || (windows && /^\.\.[. ]*$/.test(component)))
      return { ok: false, code: 'traversal', index }
    const at = windows ? component.search(reserved) : -1
    if (at >= 0) return { ok: false, code: 'reserved', index: index + at }
    index += component.length + 1
  }
  const components = text
    .split(windows ? /[/\\]/ : '/')
    .filter((component) => component !== '' && component !== '.')
  const path = components.join('/')
  return { ok: true, path: options.case === 'fold' ? path.toLowerCase() : path }
}
