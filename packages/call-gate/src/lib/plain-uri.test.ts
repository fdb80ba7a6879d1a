import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainUri } from './plain-uri.ts'

/** The same without any shortcut: every escape looked at, every path taken apart (RFC 3986, sections 6.2.2 and 5.2.4). */
function plainly(uri: string): string {
  const escaped = uri.replace(/%([0-9A-Fa-f]{2})/g, (octet, digits: string) => {
    const character = String.fromCharCode(Number.parseInt(digits, 16))
    return /[A-Za-z0-9\-._~]/.test(character) ? character : octet.toUpperCase()
  })
  const parts = /^([^/?#]*:(?:\/\/[^/?#]*)?)([^?#]*)(.*)$/s.exec(escaped)
  if (!parts) return escaped
  const out: string[] = []
  const segments = (parts[2] as string).split('/')
  for (const [index, segment] of segments.entries()) {
    if (segment === '..' && out.length > 1) out.pop()
    if (segment !== '.' && segment !== '..') out.push(segment)
    else if (index === segments.length - 1) out.push('')
  }
  return `${parts[1]}${out.join('/')}${parts[3]}`
}

describe('the plain spelling of a URI', () => {
  it.each([
    ['docs://catalog/Q1%20report', 'docs://catalog/Q1%20report'],
    ['docs://catalog/%73ecret', 'docs://catalog/secret'],
    ['docs://catalog/a%c3%a9', 'docs://catalog/a%C3%A9'],
    ['docs://catalog/a/../secret', 'docs://catalog/secret'],
    ['docs://catalog/%2E%2E/secret', 'docs://catalog/secret'],
    ['docs:./a/./b', 'docs:a/b'],
    ['docs://catalog/v1..v2/.env', 'docs://catalog/v1..v2/.env'],
    ['docs://catalog/a?x=/../b', 'docs://catalog/a?x=/../b'],
    ['docs://catalog/100%', 'docs://catalog/100%'],
  ])('of %s is %s', (uri, plain) => {
    expect(plainUri(uri)).toBe(plain)
  })

  it('is what looking at every part of it gives', () => {
    const piece = fc.constantFrom(
      ...['a', 'A', '/', '//', '.', '..', '/.', '/..', ':', '?', '#', '%', '%2', '%2F', '%2f', '%2E', '%2e'],
      ...['%73', '%7E', '%C3%A9', '%c3', 'é', 'docs://h/', 'x:', '\n'],
    )
    const uri = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(uri, (text) => {
        expect(plainUri(text)).toBe(plainly(text))
      }),
      { numRuns: 3000 },
    )
  })
})
