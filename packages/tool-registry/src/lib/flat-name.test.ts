import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FlatNameOptions, flatName, NameLimitError } from './flat-name.ts'
import type { Key } from './key.ts'
import { buildNameMap, createNameMap, NameClashError } from './name-map.ts'
import { type NameProfileId, nameProfiles } from './name-profile.ts'

const tool = (server: string, name: string): Key => ({ server, kind: 'tool', name })
const profiles = Object.keys(nameProfiles) as NameProfileId[]
const long = 'get_tenants_tenant_repos_repo_environments_environment_secrets_secret_name'

/** Pairs that other schemes have got wrong, or that are hard to name. */
const hard: readonly (readonly [string, string])[] = [
  ['shop-a', 'search'],
  ['shop', 'search'],
  ['Shop', 'search'],
  ['shop', 'Search'],
  ['a', 'b__c'],
  ['a__b', 'c'],
  ['evil_', 'thing'],
  ['evil', '_thing'],
  ['my__db', 'run'],
  ['db', 'execute_sql'],
  ['my_db', 'execute_sql'],
  ['a_b', 'c'],
  ['a', 'b_c'],
  ['a-b', 'c'],
  ['a b', 'c'],
  ['ab', 'c'],
  ['a.b', 'c'],
  ['foo.2', 'x'],
  ['foo_2', 'x'],
  ['git', 'git.get-commit'],
  ['git', 'do-thing'],
  ['git', 'reports/weekly'],
  ['git', 'Get File'],
  ['x', '获取天气'],
  ['x', '日本語道具'],
  ['café', 'run'],
  ['cafe\u0301', 'run'],
  ['cafè', 'run'],
  ['数据库', 'run'],
  ['🛠', 'run'],
  ['', 'run'],
  ['run', ''],
  ['', ''],
  ['_', '_'],
  ['__', '__'],
  ['1password', 'search'],
  ['-x', 'y'],
  ['9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d', 'search_everything_public_and_private'],
  ['corp-knowledge-platform-gateway-eu', 'createArchivePageWithInlineMediaAndAccessGrants'],
  ['corp-knowledge-platform-gateway-eu', 'deleteArchivePageWithInlineMediaAndAccessGrants'],
  ['corp-knowledge-platform-gateway-eu', 'createArchivePageWithInlineMediaAndAccessGroups'],
  ['hub', long],
  ['hub', `del_${long.slice(4)}`],
  ['s'.repeat(60), 't'],
  ['s', 't'.repeat(64)],
  ['s', 't'.repeat(128)],
  ['s'.repeat(300), 't'.repeat(300)],
  ['wiki', 'ask-question'],
  ['a', '\uD83D'],
  ['a', '\uDE00'],
  ['a', 'x\ny'],
]

describe('flatName', () => {
  it('is readable wherever that is safe', () => {
    expect(flatName(tool('shop-a', 'search'))).toBe('shop-a__search')
    expect(flatName(tool('a', 'b__c'))).toBe('a__b__c')
    expect(flatName(tool('my_db', 'execute_sql'))).toBe('my_db__execute_sql')
    expect(flatName(tool('git', 'git.get-commit'), { profile: 'gemini' })).toBe('git__git.get-commit')
    expect(flatName(tool('1password', 'search'), { profile: 'openai' })).toBe('1password__search')
  })

  it('keeps what it can of a pair it has to shorten', () => {
    expect(flatName(tool('hub', long))).toMatch(
      /^hub_get_tenants_tenant_repos_repo_environments_e?_?[a-z2-7]{16}$/,
    )
    expect(flatName(tool('git', 'git.get-commit'))).toMatch(/^git_git_get-commit_[a-z2-7]{16}$/)
    expect(flatName(tool('数据库', 'run'))).toMatch(/^run_[a-z2-7]{16}$/)
    expect(flatName(tool('', ''))).toMatch(/^x_[a-z2-7]{16}$/)
  })

  it('never changes between versions: the golden file', () => {
    const file = join(import.meta.dirname, '..', '..', 'test', 'fixtures', 'flat-names.json')
    const rows = profiles.flatMap((profile) =>
      [64, 48].flatMap((limit) =>
        hard.map(([server, name]) => ({
          profile,
          limit,
          server,
          name,
          flat: flatName(tool(server, name), { profile, limit }),
        })),
      ),
    )
    if (process.env.TRUENAME_WRITE_GOLDEN)
      writeFileSync(file, `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]\n`)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(rows)
  })

  it.each(profiles)('is legal, within the limit and distinct for every hard pair: %s', (profile) => {
    for (const limit of [64, 48, 24]) {
      const names = hard.map(([server, name]) => flatName(tool(server, name), { profile, limit }))
      expect(new Set(names).size).toBe(hard.length)
      for (const name of names) {
        expect(name).toMatch(nameProfiles[profile].pattern)
        expect(name.length).toBeLessThanOrEqual(limit)
      }
    }
  })

  it('is legal for the strictest API whatever the pair: 1 to 64 of A-Z a-z 0-9 _ -, a letter or _ first', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: 'binary' }),
        fc.integer({ min: 24, max: 64 }),
        (server, name, limit) => {
          const flat = flatName(tool(server, name), { limit })
          expect(flat).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/)
          expect(flat.length).toBeLessThanOrEqual(limit)
          expect(flatName(tool(server, name), { limit })).toBe(flat)
        },
      ),
    )
  })

  it('gives all pairs over a small alphabet different names: brute force', () => {
    for (const [alphabet, longest] of [
      [['a', '_'], 5],
      [['a', '_', '-', '.'], 3],
      [['a', 'A', '_', 'é', ' '], 2],
    ] as const) {
      const words = wordsOver(alphabet, longest)
      for (const options of [
        {},
        { profile: 'gemini' },
        { profile: 'openai', limit: 24 },
      ] satisfies FlatNameOptions[]) {
        const names = new Set<string>()
        for (const server of words) for (const name of words) names.add(flatName(tool(server, name), options))
        expect(names.size).toBe(words.length ** 2)
      }
    }
  })

  it('never gives two pairs one name, over Unicode and separators', () => {
    const part = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.string({ unit: fc.constantFrom('a', '_', '__', '-', '.', 'é', '\u0301'), maxLength: 8 }),
    )
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(part, part), {
          minLength: 2,
          maxLength: 40,
          selector: ([a, b]) => JSON.stringify([a, b]),
        }),
        (pairs) => {
          expect(new Set(pairs.map(([server, name]) => flatName(tool(server, name)))).size).toBe(pairs.length)
        },
      ),
    )
  })

  it('can be split into its pair by no rule but one: the first __ of a plain name', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z_-]{0,6}$/),
        fc.stringMatching(/^[a-z_-]{0,6}$/),
        (server, name) => {
          const flat = flatName(tool(server, name))
          const at = flat.indexOf('__')
          if (at >= 0) expect([flat.slice(0, at), flat.slice(at + 2)]).toEqual([server, name])
        },
      ),
    )
  })

  it('names prompts and resources by the same scheme', () => {
    expect(flatName({ server: 'kb', kind: 'prompt', name: 'ask' } as Key)).toBe('kb__ask')
    expect(flatName({ server: 'kb', kind: 'resource', name: 'docs://catalog/{name}' } as Key)).toMatch(
      /^kb_docs_catalog_name_[a-z2-7]{16}$/,
    )
  })

  it('refuses a limit that cannot hold a distinct name', () => {
    expect(() => flatName(tool('a', 'b'), { limit: 23 })).toThrow(NameLimitError)
    expect(() => flatName(tool('a', 'b'), { limit: 30.5 })).toThrow(NameLimitError)
    expect(flatName(tool('a', 'b'), { limit: 24 })).toBe('a__b')
  })
})

describe('createNameMap', () => {
  it('routes every exposed name to its own pair, byte for byte', () => {
    const keys = hard.map(([server, name]) => tool(server, name))
    const map = createNameMap(keys, { limit: 48 })
    expect(map.size).toBe(keys.length)
    for (const key of keys) expect(map.key(map.name(key) as string)).toEqual(key)
    expect([...map.entries()].map(([, key]) => key)).toEqual(keys)
  })

  it('never parses: a name that is not in the map is unknown, whatever it looks like', () => {
    const map = createNameMap([tool('wiki', 'ask-question')])
    expect(map.key('wiki__ask-question')).toEqual(tool('wiki', 'ask-question'))
    for (const name of ['ask-question', 'ask__question', 'wiki__ask', 'wiki-ask-question'])
      expect(map.key(name)).toBeUndefined()
    expect(map.name(tool('wiki', 'other'))).toBeUndefined()
  })

  it('gives a name that no other server, order or removal changes', () => {
    const [a, b, c] = [tool('a', 'weather'), tool('b', 'weather'), tool('c', 'x y')]
    for (const keys of [[a], [a, b], [b, a], [c, b, a], [a, c]])
      expect(createNameMap(keys).name(a)).toBe('a__weather')
  })

  it('keeps two servers of one product apart by their configured ids', () => {
    const [staging, prod] = [tool('staging', 'query'), tool('prod', 'query')]
    for (const keys of [
      [staging, prod],
      [prod, staging],
    ]) {
      const map = createNameMap(keys)
      expect([map.key('staging__query'), map.key('prod__query')]).toEqual([staging, prod])
    }
  })

  it('lists each key once however often it is given', () => {
    expect(createNameMap([tool('a', 'b'), tool('a', 'b')]).size).toBe(1)
  })

  it('has a name space for each kind', () => {
    const prompt: Key = { server: 'a', kind: 'prompt', name: 'b' }
    const map = createNameMap([tool('a', 'b'), prompt])
    expect(map.key('a__b')).toEqual(tool('a', 'b'))
    expect(map.key('a__b', 'prompt')).toEqual(prompt)
  })

  it('is not built when two keys would share a name', () => {
    const keys = [tool('a', 'b'), tool('a', 'c')]
    expect(() => buildNameMap(keys, () => 'same')).toThrow(NameClashError)
    try {
      buildNameMap(keys, () => 'same')
    } catch (error) {
      expect(error).toMatchObject({ code: 'name-clash', flatName: 'same', keys })
    }
  })
})

function wordsOver(alphabet: readonly string[], longest: number): string[] {
  const words = ['']
  for (let from = 0, length = 1; length <= longest; length += 1) {
    const end = words.length
    for (; from < end; from += 1) for (const letter of alphabet) words.push(`${words[from]}${letter}`)
  }
  return words
}
