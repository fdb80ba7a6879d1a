/** Without groups, lookarounds and back references, and with few repetitions, matching takes few steps. */
const isSimple = (pattern: string): boolean =>
  pattern.length <= 200 &&
  !/[()]|\\[1-9k]/.test(pattern) &&
  (pattern.match(/(?<!\\)[*+?{]/g) ?? []).length <= 5

/** The longest text that a pattern of a server is run on. */
const longest = 12

/**
 * Whether a text matches a pattern of a schema, as ECMAScript and unanchored; undefined for a pattern that is no
 * regular expression, or that could take long. A server's pattern is hostile until shown otherwise.
 */
export function testPattern(pattern: string, text: string): boolean | undefined {
  if (text.length > longest || !isSimple(pattern)) return undefined
  try {
    return new RegExp(pattern, 'u').test(text)
  } catch {
    return undefined
  }
}
