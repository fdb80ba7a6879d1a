import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { addressFault, headerFault } from './http-faults.ts'

/** A server that answers with the header that was asked for, as it came: bytes as Latin-1. */
async function echo(): Promise<(name: string, value: string) => Promise<string | undefined>> {
  const server = createServer((request, response) => {
    const asked = String(request.headers['x-asked']).toLowerCase()
    const at = request.rawHeaders.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === asked)
    response.end(JSON.stringify(request.rawHeaders[at + 1] ?? null))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return async (name, value) => {
    const headers = { 'x-asked': name, [name]: value }
    try {
      const response = await fetch(url, { method: 'POST', body: 'body', headers })
      return (await response.json()) as string
    } catch {
      return undefined
    }
  }
}

describe('a header', () => {
  it('has a fault exactly where fetch does not send it as it is', async () => {
    const sent = await echo()
    const name = fc.oneof(
      fc.constantFrom('Authorization', 'X-Key', 'Host', 'connection', 'Keep-Alive', 'Transfer-Encoding'),
      fc.constantFrom('Date', 'upgrade', 'Expect', 'Content-Type', 'accept', 'TE', 'cookie'),
      fc.string({ minLength: 1, maxLength: 3 }),
    )
    const character = fc.oneof(
      fc.integer({ min: 0, max: 0x7f }),
      fc.integer({ min: 0x80, max: 0x2ff }),
      fc.constantFrom(9, 10, 13, 32, 127, 0x41f, 0x1f511),
    )
    const value = fc.oneof(
      fc.array(character, { maxLength: 4 }).map((codes) => String.fromCodePoint(...codes)),
      fc.constantFrom('close', ' keep-alive', '5', 'chunked', '100-continue', 'Bearer abc'),
    )
    await fc.assert(
      fc.asyncProperty(name, value, async (name, value) => {
        const trimmed = value.replaceAll(/^[\t ]+|[\t ]+$/g, '')
        // fetch takes line breaks off the ends, which are as little meant there as within.
        const broken = /^[\r\n]|[\r\n]$/.test(trimmed)
        const arrived = await sent(name, value)
        if (headerFault(name, value) === undefined) expect(arrived).toBe(trimmed)
        else if (!broken) expect(arrived).not.toBe(trimmed)
      }),
      { numRuns: 300 },
    )
  })

  it('that says how long the body is belongs to the connection', () => {
    expect(headerFault('Content-Length', '5')).toMatch(/leave it out/)
  })

  it('is not shown with its value', () => {
    for (const value of ['s3cret\u0000', 's3cret\n', 's3cret\u041f'])
      expect(headerFault('authorization', value)).toMatch(/^its value holds (?!.*s3cret)/)
  })
})

describe('an address', () => {
  it('has a fault where fetch refuses to make a request of it, whatever is written there', () => {
    const part = fc.constantFrom('', 'ana', 's3cret', '%40')
    const user = fc.oneof(
      fc.constant(''),
      fc.tuple(part, part).map(([name, key]) => `${name}:${key}@`),
    )
    const host = fc.constantFrom('shop.example', '127.0.0.1:1', '[::1]', '', ' ', 'a b')
    const scheme = fc.constantFrom('http://', 'https://', 'HTTPS://', 'http:', 'ftp://', 'file://', '')
    const path = fc.constantFrom('', '/mcp', '/user:s3cret@x', '?key=a@b', '#a@b')
    fc.assert(
      fc.property(fc.tuple(scheme, user, host, path), (parts) => {
        const address = parts.join('')
        const fault = addressFault(address)
        const takes = () => new Request(address)
        if (fault === undefined) expect(takes).not.toThrow()
        else if (/^https?:/i.test(address)) expect(takes).toThrow()
        expect(fault ?? '').not.toContain('s3cret')
      }),
    )
  })
})
