import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeHeaderValue, headersFor } from './headers.ts'

/** What a server does with a header value before comparing it with the body (2026-07-28, §Value Encoding). */
const decode = (value: string): string => {
  const match = /^=\?base64\?(.*)\?=$/s.exec(value)
  return match ? new TextDecoder().decode(Buffer.from(match[1] ?? '', 'base64')) : value
}

describe('a header value', () => {
  it.each([
    ['us-west1', 'us-west1'],
    ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
    ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
    ['héllo', '=?base64?aMOpbGxv?='],
    ['a b', 'a b'],
    ['', '=?base64??='],
    ['\u007f', '=?base64?fw==?='],
    ['=?BASE64?x?=', '=?BASE64?x?='],
    ['=?base64?x', '=?base64?x'],
  ])('%j is sent as %j', (value, encoded) => {
    expect(encodeHeaderValue(value)).toBe(encoded)
  })

  it('comes back as it was, and holds nothing but visible ASCII, space and tab', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.string()),
        (value) => {
          const encoded = encodeHeaderValue(value)
          expect(decode(encoded)).toBe(value)
          expect(encoded).toMatch(/^[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?$/)
        },
      ),
    )
  })

  it('comes back at every length of UTF-8', () => {
    for (const code of [0x7f, 0x80, 0x7ff, 0x800, 0xffff, 0x10000, 0x10ffff]) {
      const value = String.fromCodePoint(code)
      expect(decode(encodeHeaderValue(value))).toBe(value)
    }
  })

  it('with a lone surrogate is sent as the replacement character, as its UTF-8 is', () => {
    expect(decode(encodeHeaderValue('a\ud800b'))).toBe('a\ufffdb')
  })
})

describe('the headers of a message', () => {
  it('are the version alone in the legacy era', () => {
    for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
      expect(headersFor(version, { method: 'tools/call', params: { name: 'x' } })).toEqual({
        'MCP-Protocol-Version': version,
      })
    }
  })

  it.each([
    ['tools/call', { name: 'héllo' }, '=?base64?aMOpbGxv?='],
    ['prompts/get', { name: 'greet' }, 'greet'],
    ['resources/read', { uri: 'docs://a/b' }, 'docs://a/b'],
    ['resources/read', { uri: 'docs://Отчёт' }, '=?base64?ZG9jczovL9Ce0YLRh9GR0YI=?='],
    ['tools/list', { name: 'x' }, undefined],
    ['tools/call', { name: 7 }, undefined],
    ['constructor', { name: 'x' }, undefined],
  ])('name the method, and for %s with %j the name %s, in the modern era', (method, params, name) => {
    expect(headersFor('2026-07-28', { method, params })).toEqual({
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method,
      ...(name === undefined ? {} : { 'Mcp-Name': name }),
    })
  })
})
