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

/**
 * The URI spelled without needless escapes and dot segments. Case is left alone. A server may read both spellings
 * as one resource, so a policy has to hold for both.
 */
export function plainUri(uri: string): string {
  if (!uri.includes('%') && !uri.includes('.')) return uri
  const plain = plainEscapes(uri)
  const parts = /^([^/?#]*:(?:\/\/[^/?#]*)?)([^?#]*)(.*)$/s.exec(plain)
  if (!parts) return plain
  const [, head = '', path = '', tail = ''] = parts
  return path.includes('.') ? head + withoutDots(path) + tail : plain
}
