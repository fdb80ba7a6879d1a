import { describe, expect, it } from 'vitest'
import { loopbackHosts, refuseRequest } from './http-guard.ts'
import { checkStandardHeaders, decodeHeaderValue } from './standard-headers.ts'

const guard = { allowedHosts: loopbackHosts, allowedOrigins: [...loopbackHosts, 'https://console.example'] }
const refused = (host: string | undefined, origin?: string): boolean =>
  refuseRequest(
    new Headers({ ...(host === undefined ? {} : { host }), ...(origin === undefined ? {} : { origin }) }),
    guard,
  ) !== undefined

describe('guarding an HTTP endpoint', () => {
  it('takes the loopback names at any port, and no other host', () => {
    for (const host of ['localhost', 'localhost:80', '127.0.0.1:3000', '[::1]:9', 'LOCALHOST'])
      expect(refused(host), host).toBe(false)
    for (const host of [
      undefined,
      '',
      'evil.example',
      'localhost.evil.example',
      'localhost@evil.example',
      '127.0.0.1.nip.io',
      'localhost/x',
      ':80',
    ]) {
      expect(refused(host), host).toBe(true)
    }
  })
  it('takes no Origin, an allowed one, and no other', () => {
    for (const origin of [
      undefined,
      'http://localhost:6274',
      'http://127.0.0.1',
      'https://console.example',
    ]) {
      expect(refused('localhost', origin), origin).toBe(false)
    }
    for (const origin of [
      'null',
      '',
      'http://evil.example',
      'https://console.example:444',
      'http://console.example',
      'file://localhost',
      'http://localhost.evil.example',
    ]) {
      expect(refused('localhost', origin), origin).toBe(true)
    }
  })
})

describe('the headers of a modern request', () => {
  const message = { method: 'tools/call', params: { name: 'héllo' }, version: '2026-07-28' }
  const good = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': '=?base64?aMOpbGxv?=',
  }
  it('have to say what the body says', () => {
    expect(checkStandardHeaders(new Headers(good), message)).toBeUndefined()
    expect(checkStandardHeaders(new Headers({ ...good, 'mcp-name': 'hello' }), message)).toContain('Mcp-Name')
    expect(checkStandardHeaders(new Headers({ ...good, 'mcp-method': 'tools/list' }), message)).toContain(
      'Mcp-Method',
    )
    expect(
      checkStandardHeaders(new Headers({ ...good, 'mcp-protocol-version': '2025-11-25' }), message),
    ).toContain('Version')
    const { 'mcp-name': _, ...without } = good
    expect(checkStandardHeaders(new Headers(without), message)).toBe('Mcp-Name is missing')
    expect(checkStandardHeaders(new Headers(without), { ...message, method: 'tools/list' })).toContain(
      'Mcp-Method',
    )
  })
  it('are decoded once, and not where their encoding is broken', () => {
    expect(decodeHeaderValue('=?base64?aMOpbGxv?=')).toBe('héllo')
    for (const broken of ['=?base64?/w==?=', '=?base64?aGk?=', '=?base64?a!b?=', '=?base64?aGk=x?=']) {
      expect(decodeHeaderValue(broken), broken).toBeUndefined()
    }
    expect(decodeHeaderValue('=?base64')).toBe('=?base64')
  })
})
