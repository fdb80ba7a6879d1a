import type { Key } from '@truename/tool-registry'
import { describe, expect, it } from 'vitest'
import { checkPolicy } from './check-policy.ts'
import { parsePolicy } from './parse-policy.ts'
import { PolicyError } from './policy-error.ts'

const refused = (input: unknown, options?: Parameters<typeof parsePolicy>[1]): PolicyError => {
  try {
    parsePolicy(input, options)
  } catch (error) {
    if (error instanceof PolicyError) return error
    throw error
  }
  throw new Error('the policy was accepted')
}

const tool = (server: string, name: string): Key => ({ server, kind: 'tool', name })
const keys = ['shop-a', 'shop-b'].flatMap((server) => [tool(server, 'search'), tool(server, 'buy')])

describe('a rule without a server', () => {
  it('is answered with the pairs it could mean and the rules to write', () => {
    const text = '[\n  // for all shops\n  { "tool": "search", "decision": "allow" },\n]'
    const error = refused(text, { keys, source: 'policy.jsonc' })
    expect(error.problems).toHaveLength(1)
    expect(error.problems[0]).toMatchObject({
      code: 'missing-server',
      path: 'rules[0]',
      position: { line: 3, column: 3 },
      candidates: [tool('shop-a', 'search'), tool('shop-b', 'search')],
      rewrite: [
        '{"server":"shop-a","tool":"search","decision":"allow"}',
        '{"server":"shop-b","tool":"search","decision":"allow"}',
      ],
    })
    expect(error.message).toContain('policy.jsonc:3:3')
    expect(error.message).toContain('shop-a/search, shop-b/search')
    for (const rule of error.problems[0]?.rewrite ?? []) expect(error.message).toContain(rule)
  })

  it.each([
    ['"search"', ['shop-a/search', 'shop-b/search']],
    ['"shop-a/search"', ['shop-a/search']],
    ['"mcp__shop-b__buy"', ['shop-b/buy']],
    ['{ "name": "buy", "decision": "deny" }', ['shop-a/buy', 'shop-b/buy']],
    ['{ "tool": "*", "decision": "deny" }', ['shop-a/search', 'shop-a/buy', 'shop-b/search', 'shop-b/buy']],
    ['{ "tool": "Search", "decision": "deny" }', []],
    ['{ "prompt": "search", "decision": "deny" }', []],
  ])('%s could mean %j', (rule, pairs) => {
    const [problem] = refused(`[${rule}]`, { keys }).problems
    expect(problem?.code).toBe('missing-server')
    expect(problem?.candidates?.map(({ server, name }) => `${server}/${name}`)).toEqual(pairs)
  })

  it('has rewrites that are accepted as they stand and mean exactly the pair', () => {
    const odd = [tool('a*b', 'x*'), tool('a', '\\'), tool('"', '\u200b')]
    for (const key of odd) {
      const [problem] = refused([{ tool: '*', decision: 'deny', reason: 'because' }], {
        keys: [key],
      }).problems
      const policy = parsePolicy(`[${problem?.rewrite?.join(',')}]`)
      expect(policy.rules[0]?.reason).toBe('because')
      const others = [tool('axb', 'x*'), tool(key.server, 'xy')]
      expect(checkPolicy(policy, [key, ...others])).toMatchObject([
        { code: 'left-to-default', keys: [others[0]] },
        { code: 'left-to-default', keys: [others[1]] },
      ])
    }
  })

  it('is refused without known pairs too', () => {
    expect(refused([{ tool: 'search', decision: 'allow' }]).message).toContain('Add "server"')
  })

  it('shows hidden characters of the pairs it names', () => {
    const error = refused([{ tool: '*', decision: 'deny' }], {
      keys: [tool('shop', 'sea\u200brch\u001b[2J')],
    })
    expect(error.message).not.toMatch(/[\u200b\u001b]/)
    expect(error.message).toContain('U+200B')
  })
})

describe('a policy text', () => {
  it('may hold comments, trailing commas and a byte order mark', () => {
    const text = '\uFEFF// mine\n[{ "server": "kb", /* all */ "tool": "*", "decision": "ask", },]'
    expect(parsePolicy(text).rules[0]).toMatchObject({ decision: 'ask', position: { line: 2, column: 2 } })
  })

  it('is read the same as a list, as an object, and as a value', () => {
    const rules = [
      { server: 'kb', tool: 'search', decision: 'allow', when: [{ pointer: '/a', equals: { b: 1 } }] },
    ]
    const bare = ({ position: _, ...rest }: object & { position?: unknown }) => rest
    const texts = [JSON.stringify(rules), JSON.stringify({ rules })].map((text) => parsePolicy(text))
    for (const policy of [...texts, parsePolicy({ rules })]) {
      expect(policy.rules.map(bare)).toEqual(parsePolicy(rules).rules.map(bare))
    }
  })

  it('can stand inside a larger document', () => {
    const text =
      '{\n "mcpServers": {},\n "truename": {\n  "policy": [\n   { "server": "kb", "tool": 7, "decision": "allow" }]}}'
    const [problem] = refused(text, { at: ['truename', 'policy'] }).problems
    expect(problem).toMatchObject({ path: 'rules[0].tool', position: { line: 5, column: 30 } })
    expect(refused('{}', { at: ['truename', 'policy'] }).problems[0]?.message).toContain('truename.policy')
  })

  it.each([
    [
      'a misspelt condition',
      '[\n{"server":"kb","tool":"x","decision":"allow",\n"wehn":[]}]',
      'rules[0]',
      2,
      '"wehn"',
    ],
    [
      'an annotation',
      '[{"server":"kb","tool":"x","decision":"allow","readOnlyHint":true}]',
      'rules[0]',
      1,
      'readOnlyHint',
    ],
    [
      'a wrong decision',
      '[{"server":"kb","tool":"x",\r\n"decision":"Allow"}]',
      'rules[0].decision',
      2,
      'allow',
    ],
    ['no decision', '[{"server":"kb","tool":"x"}]', 'rules[0].decision', 1, ''],
    ['two names', '[{"server":"kb","tool":"x","prompt":"x","decision":"ask"}]', 'rules[0]', 1, 'exactly one'],
    [
      'a bad pointer',
      '[{"server":"kb","tool":"x","decision":"ask","when":[\n{"pointer":"a","equals":1}]}]',
      'rules[0].when[0].pointer',
      2,
      '6901',
    ],
    [
      'two comparisons',
      '[{"server":"kb","tool":"x","decision":"ask","when":[{"pointer":"/a","atMost":1,"atLeast":1}]}]',
      'rules[0].when[0]',
      1,
      'one comparison',
    ],
    [
      'a stray backslash',
      '[{"server":"kb","tool":"a\\\\b","decision":"ask"}]',
      'rules[0].tool',
      1,
      'backslash at 1',
    ],
    [
      'a member twice',
      '[{"server":"kb","tool":"x","decision":"deny",\n"decision":"allow"}]',
      '[0].decision',
      2,
      'twice',
    ],
    ['no JSON', '[{"server" "kb"}]', '', 1, 'ColonExpected'],
    ['nothing', '', '', 1, 'ValueExpected'],
  ])('with %s is refused with the place', (_, text, path, line, says) => {
    const { problems, message } = refused(text)
    expect(
      problems.some((one) => one.path === path && one.position?.line === line && one.message.includes(says)),
      message,
    ).toBe(true)
  })

  it('is told everything that is wrong with it at once', () => {
    const error = refused([
      { tool: 'a', decision: 'allow' },
      { server: 'kb', decision: 'allow' },
      { server: 'kb', tool: 'x' },
    ])
    expect(error.problems.map((one) => one.path)).toEqual(['rules[0]', 'rules[2].decision'])
    expect(error).toMatchObject({ code: 'invalid-policy', name: 'PolicyError' })
  })
})
