const unreserved = /^[A-Za-z0-9\-._~]$/

/** Escapes of characters that need none are undone, the others spelled in upper case (RFC 3986 section 6.2.2). */
const plainEscapes = (uri: string): string =>
  uri.replace(/%[0-9A-Fa-f]{2}/g, (octet) => {
    const character = String.fromCharCode(Number.parseInt(octet.slice(1), 16))
    return unreserved.test(character) ? character : octet.toUpperCase()
  })

/** RFC 3986 section 5.2.4 on the path of a URI. */
function withoutDots(path: string): string {
  const out: string[] = []
  const segments = path.split('/')
  for (const [index, segment] of segments.entries()) {
    const last = index === segments.length - 1
    if (segment === '..') {
      if (out.length > 1) out.pop()
      if (last) out.push('')
    } else if (segment === '.') {
      if (last) out.push('')
    } else out.push(segment)
  }
  return out.join('/')
}

const upperHex = /^[0-9A-F]{2}$/
const anyHex = /^[0-9A-Fa-f]{2}$/

/** Whether an escape is needless, or not in upper case. */
function hasOddEscape(uri: string): boolean {
  for (let at = uri.indexOf('%'); at >= 0; at = uri.indexOf('%', at + 1)) {
    const digits = uri.slice(at + 1, at + 3)
    if (!anyHex.test(digits)) continue
    if (!upperHex.test(digits)) return true
    if (unreserved.test(String.fromCharCode(Number.parseInt(digits, 16)))) return true
  }
  return false
}

/** Whether there may be a segment of dots: it begins a path, or stands behind a slash. */
const mayHaveDots = (uri: string): boolean => uri.includes('/.') || uri.includes(':.')

/**
 * The URI spelled without needless escapes and dot segments. Case is left alone. A server may read both spellings
 * as one resource, so a policy has to hold for both.
 */
export function plainUri(uri: string): string {
  const plain = uri.includes('%') && hasOddEscape(uri) ? plainEscapes(uri) : uri
  if (!mayHaveDots(plain)) return plain
  const parts = /^([^/?#]*:(?:\/\/[^/?#]*)?)([^?#]*)(.*)$/s.exec(plain)
  if (!parts) return plain
  const [, head = '', path = '', tail = ''] = parts
  return path.includes('.') ? head + withoutDots(path) + tail : plain
}
