/** A name pattern of a policy: an exact text, or one with `*` for any run of characters (none included). */
export interface Glob {
  /** As written. */
  readonly source: string
  readonly exact: boolean
  /** The literal texts between the wildcards, unescaped; a single one where `exact`. */
  readonly parts: readonly string[]
}

/** A backslash that stands before neither `*` nor `\`; `index` counts UTF-16 units. */
export interface GlobFault {
  readonly index: number
}

/**
 * Reads a pattern: `*` is the wildcard, `\*` and `\\` are a literal asterisk and backslash.
 * With `template`, what stands in braces is the text of an RFC 6570 expression and its `*` is literal.
 */
export function readGlob(source: string, options?: { readonly template?: boolean }): Glob | GlobFault {
  const parts: string[] = []
  let part = ''
  for (let at = 0; at < source.length; at += 1) {
    const character = source[at] as string
    if (character === '\\') {
      const next = source[at + 1]
      if (next !== '*' && next !== '\\') return { index: at }
      part += next
      at += 1
    } else if (character === '{' && options?.template === true) {
      const end = source.indexOf('}', at)
      const stop = end < 0 ? source.length : end + 1
      part += source.slice(at, stop)
      at = stop - 1
    } else if (character === '*') {
      parts.push(part)
      part = ''
    } else part += character
  }
  parts.push(part)
  return { source, exact: parts.length === 1, parts }
}

/** Whether the whole text is matched; characters are compared exactly, in linear time for a given pattern. */
export function globMatches(glob: Glob, text: string): boolean {
  const { parts } = glob
  const first = parts[0] as string
  if (glob.exact) return text === first
  const last = parts[parts.length - 1] as string
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
    return false
  const end = text.length - last.length
  let at = first.length
  for (let index = 1; index < parts.length - 1; index += 1) {
    const part = parts[index] as string
    const found = text.indexOf(part, at)
    if (found < 0 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}

/** Whether some text is matched by both. */
export function globsMeet(a: Glob, b: Glob): boolean {
  if (a.exact) return globMatches(b, a.parts[0] as string)
  if (b.exact) return globMatches(a, b.parts[0] as string)
  // Both have a wildcard, so only what is fixed at the two ends can keep them apart.
  const [firstA, firstB] = [a.parts[0] as string, b.parts[0] as string]
  const [lastA, lastB] = [a.parts[a.parts.length - 1] as string, b.parts[b.parts.length - 1] as string]
  return (
    (firstA.startsWith(firstB) || firstB.startsWith(firstA)) &&
    (lastA.endsWith(lastB) || lastB.endsWith(lastA))
  )
}

/** Whether every text that `narrow` matches is matched by `wide`. */
export function globCovers(wide: Glob, narrow: Glob): boolean {
  if (narrow.exact) return globMatches(wide, narrow.parts[0] as string)
  if (wide.exact) return false
  // The wildcard of the narrow one stands for text that only a wildcard of the wide one can match.
  let mark = 0xffff
  const used = [...wide.parts, ...narrow.parts].join('')
  while (used.includes(String.fromCharCode(mark))) mark -= 1
  return globMatches(wide, narrow.parts.join(String.fromCharCode(mark)))
}

/** The pattern that matches exactly this text. */
export const escapeGlob = (text: string): string => text.replace(/[\\*]/g, '\\$&')
