import { describe, expect, it } from 'vitest'
import { parseListenAddress } from './listen-address.ts'

describe('an address to listen at', () => {
  it.each([
    ['127.0.0.1:0', '127.0.0.1', 0],
    ['localhost:8080', 'localhost', 8080],
    ['[::1]:65535', '::1', 65_535],
    ['8080', '127.0.0.1', 8080],
    [':8080', '127.0.0.1', 8080],
  ])('reads %s', (text, host, port) => expect(parseListenAddress(text)).toEqual({ host, port }))

  it.each(['', 'localhost', 'localhost:', '127.0.0.1:65536', '::1:80', 'http://x:1', 'a:1:2', '1.2.3.4:-1'])(
    'refuses %j in one line that shows how it is written',
    (text) => expect(parseListenAddress(text)).toMatch(/is not HOST:PORT, for example/),
  )
})
