import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aliasOf, createUriAliases, schemeAlias } from './uri-alias.ts'

const reported = ['s_two', '9lives', 'Données', 'a+b', 'a', 'a-b', 'x-a', 'Kb', 'kb', '', '数据库', '🛠']

describe('the alias of a server in prefixed URIs', () => {
  it('is a legal scheme part for every server id', () => {
    fc.assert(
      fc.property(fc.oneof(fc.constantFrom(...reported), fc.string({ unit: 'grapheme' })), (server) => {
        expect(aliasOf(server, 'find://x')).toMatch(/^[A-Za-z][A-Za-z0-9+.-]*:/)
      }),
    )
  })

  it('is different for different ids, those that differ only by case or by what a scheme cannot hold included', () => {
    expect(new Set(reported.map(schemeAlias)).size).toBe(reported.length)
    const ids = fc.string({ unit: 'grapheme' })
    fc.assert(fc.property(ids, ids, (a, b) => a === b || schemeAlias(a) !== schemeAlias(b)))
  })

  it('reads back to server and URI, plus signs in the URI included', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.constantFrom(...reported), { minLength: 1 }),
        fc.nat(),
        fc.webUrl(),
        (servers, at, url) => {
          const server = servers[at % servers.length] as string
          const uri = `c+d-${url}`
          expect(createUriAliases(servers).split(aliasOf(server, uri))).toEqual({ server, uri })
        },
      ),
    )
  })

  it('leaves ui: URIs alone, and URIs of servers without an alias', () => {
    expect(aliasOf('kb', 'ui://panel/main')).toBe('ui://panel/main')
    expect(createUriAliases(['kb']).split('docs://a')).toBeUndefined()
    expect(createUriAliases(['kb']).split('git+ssh://host/x')).toBeUndefined()
  })
})
