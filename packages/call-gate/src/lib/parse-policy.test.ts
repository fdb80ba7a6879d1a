import { describe, expect, it } from 'vitest'
import { parsePolicy } from './parse-policy.ts'
import { PolicyError } from './policy-error.ts'

const problems = (input: unknown, options?: Parameters<typeof parsePolicy>[1]) => {
  try {
    parsePolicy(input, options)
  } catch (error) {
    if (error instanceof PolicyError) return error
    throw error
  }
  throw new Error('the policy was accepted')
}

describe('parsePolicy', () => {
  it('answers a rule without a server with the pairs it could mean and what to write', () => {
    const keys = ['shop-a', 'shop-b'].flatMap((server) => [
      { server, kind: 'tool', name: 'search' } as const,
      { server, kind: 'tool', name: 'buy' } as const,
    ])
    const error = problems('[\n  // for all shops\n  { "tool": "search", "decision": "allow" }\n]', { keys })
    expect(error.problems).toHaveLength(1)
    const [problem] = error.problems
    expect(problem?.code).toBe('missing-server')
    expect(problem?.position).toEqual({ line: 3, column: 3 })
    expect(problem?.candidates).toEqual([
      { server: 'shop-a', kind: 'tool', name: 'search' },
      { server: 'shop-b', kind: 'tool', name: 'search' },
    ])
    expect(problem?.rewrite).toEqual([
      '{"server":"shop-a","tool":"search","decision":"allow"}',
      '{"server":"shop-b","tool":"search","decision":"allow"}',
    ])
    expect(error.message).toContain('shop-a/search, shop-b/search')
  })

  it('reads the list form and the object form alike', () => {
    const rules = [{ server: 'kb', tool: 'search', decision: 'allow' }]
    expect(parsePolicy(JSON.stringify({ rules })).rules[0]).toMatchObject({
      ...parsePolicy(rules).rules[0],
      position: {},
    })
  })
})
