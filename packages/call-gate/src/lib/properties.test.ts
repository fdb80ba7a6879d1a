import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { memoryApprovals } from './approvals.ts'
import type { Call, Pin } from './call.ts'
import { comparePolicies } from './compare-policies.ts'
import { createDecider } from './decide.ts'
import { createGate } from './gate.ts'
import { parsePolicy } from './parse-policy.ts'
import { createPoliciesInForce } from './policies-in-force.ts'
import type { Policy } from './policy.ts'
import { meet, regionOf } from './region.ts'
import { arbitraryCall, arbitraryPolicy, arbitraryRule } from './testing/arbitrary-policy.ts'
import { holdNothingWider, holdUnreachable } from './testing/policy-laws.ts'
import { isStricter } from './verdict.ts'

const decide = (policy: Policy, { key, args, caller, template }: Call) =>
  createDecider(policy).byPolicy(key, args, caller.profile, template)

describe('laws of the gate', () => {
  it('lets no call to an unapproved pair pass, whatever the policy and the answers in force say', async () => {
    const unapproved = fc.constantFrom<Pin>(
      { state: 'held', field: 'description', reason: 'changed' },
      { state: 'unknown' },
    )
    await fc.assert(
      fc.asyncProperty(arbitraryPolicy, arbitraryCall, unapproved, async (source, call, pin) => {
        const approvals = memoryApprovals()
        const gate = createGate({ policy: parsePolicy(source), approvals })
        const asked = await gate.admit(call)
        if (asked.verdict === 'ask') {
          const answer = { verdict: 'allow', scope: 'always', channel: 'console', who: 'ada' } as const
          await gate.answer(asked.request.id, answer)
          expect((await gate.admit(call)).verdict).toBe('allow')
        }
        expect(gate.decide({ ...call, pin }).verdict).toBe('deny')
        expect(await gate.admit({ ...call, pin })).toMatchObject({ verdict: 'deny' })
      }),
    )
  })

  it('refuses pins it does not know', () => {
    const gate = createGate({
      policy: parsePolicy([{ server: '*', tool: '*', decision: 'allow' }]),
      approvals: memoryApprovals(),
    })
    const key = { server: 'a', kind: 'tool', name: 's' } as const
    const pin = { state: 'revoked' } as unknown as Pin
    expect(gate.decide({ key, pin, caller: { profile: 'p' } }).verdict).toBe('deny')
  })

  it('does not depend on the order of rules that cannot speak of the same call', () => {
    fc.assert(
      fc.property(
        fc.array(arbitraryRule, { minLength: 2, maxLength: 6 }),
        fc.nat(),
        arbitraryCall,
        (rules, seed, call) => {
          const policy = parsePolicy(rules)
          const at = seed % (rules.length - 1)
          const [one, next] = [policy.rules[at], policy.rules[at + 1]]
          if (!one || !next || meet(regionOf(one), regionOf(next))) return
          const swapped = rules
            .with(at, rules[at + 1] as object as never)
            .with(at + 1, rules[at] as object as never)
          expect(decide(parsePolicy(swapped), call).verdict).toBe(decide(policy, call).verdict)
        },
      ),
    )
  })

  it('never lets case differences match', () => {
    const swapCase = (text: string): string =>
      [...text].map((one) => (one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase())).join('')
    const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_.-]{0,8}$/)
    fc.assert(
      fc.property(
        name,
        name,
        fc.constantFrom('tool', 'prompt', 'resource'),
        fc.boolean(),
        (server, own, kind, which) => {
          const rules = [{ server, [kind]: own, decision: 'deny' }]
          const policy = parsePolicy({ rules, defaults: { tool: 'allow' } })
          const key = {
            server: which ? swapCase(server) : server,
            kind,
            name: which ? own : swapCase(own),
          } as const
          expect(
            decide(policy, {
              key: { ...key, server, name: own },
              pin: { state: 'unknown' },
              caller: { profile: 'p' },
            }).verdict,
          ).toBe('deny')
          expect(decide(policy, { key, pin: { state: 'unknown' }, caller: { profile: 'p' } }).verdict).toBe(
            'allow',
          )
        },
      ),
    )
  })

  it('decides like the plain reading of the rules, one after the other', () => {
    fc.assert(
      fc.property(arbitraryPolicy, arbitraryCall, (source, call) => {
        expect(decide(parsePolicy(source), call).verdict).toBe(plainReading(source, call))
      }),
      { numRuns: 500 },
    )
  })
})

/** The meaning of a policy written anew, without index, patterns compiled, or early ends. */
function plainReading(source: Source, call: Call): Word {
  const rank = { allow: 0, ask: 1, deny: 2 } as const
  const like = (pattern: string, text: string): boolean =>
    new RegExp(
      `^${pattern.replace(/\{[^}]*\}|[^*]/g, (part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).replace(/(?<!\\)\*/g, '.*')}$`,
      's',
    ).test(text)
  const verdictFor = (texts: readonly string[]): Word => {
    let atLeast: Word = 'allow'
    let verdict: Word | undefined
    for (const rule of source.rules) {
      const pattern = rule[call.key.kind]
      if (pattern === undefined || !like(rule.server, call.key.server)) continue
      if (!texts.some((text) => like(pattern, text))) continue
      if (rule.profile && !rule.profile.includes(call.caller.profile)) continue
      const truths = (rule.when ?? []).map((one) => {
        const value = (call.args as Record<string, unknown>)[one.pointer.slice(1)]
        if ('exists' in one) return (value !== undefined) === one.exists
        if (value === undefined) return undefined
        if ('equals' in one) return value === one.equals
        return typeof value === 'number' ? value <= (one.atMost as number) : undefined
      })
      if (truths.includes(false)) continue
      if (truths.includes(undefined)) {
        if (rule.decision === 'allow') continue
        if (rule.decision === 'ask') {
          atLeast = 'ask'
          continue
        }
      }
      verdict = rule.decision
      break
    }
    verdict ??= source.defaults[call.key.kind] ?? (call.key.kind === 'tool' ? 'ask' : 'allow')
    return rank[verdict] >= rank[atLeast] ? verdict : atLeast
  }
  const more = call.template === undefined ? [] : [call.template]
  const own = verdictFor([call.key.name, ...more])
  if (call.key.kind !== 'resource') return own
  const plain = call.key.name.replace('%73', 's').replace('a/../', '')
  const other = verdictFor([plain, ...more])
  return rank[other] > rank[own] ? other : own
}

type Word = 'allow' | 'ask' | 'deny'

/** What the generator writes. */
interface Source {
  readonly rules: readonly {
    readonly server: string
    readonly tool?: string
    readonly prompt?: string
    readonly resource?: string
    readonly decision: Word
    readonly profile?: readonly string[]
    readonly when?: readonly {
      readonly pointer: string
      readonly atMost?: number
      readonly equals?: unknown
      readonly exists?: boolean
    }[]
  }[]
  readonly defaults: { readonly tool?: Word; readonly prompt?: Word; readonly resource?: Word }
}

describe('laws of checking policies', () => {
  it('calls a rule unreachable only where no call changes without it', () => {
    expect(holdUnreachable(200)).toBeGreaterThan(20)
  })
})

describe('laws of comparing policies', () => {
  it('finds nothing wider only where no call at all passes more easily', () => {
    expect(holdNothingWider(300)).toBeGreaterThan(60)
  })

  it('finds nothing wider in the same policy', () => {
    fc.assert(
      fc.property(arbitraryPolicy, (source) => {
        expect(comparePolicies(parsePolicy(source), parsePolicy(source))).toEqual([])
      }),
    )
  })

  it('never lets a reload pass what any policy in force held, until a person confirms', () => {
    fc.assert(
      fc.property(
        fc.array(arbitraryPolicy, { minLength: 2, maxLength: 5 }),
        fc.array(arbitraryCall, { maxLength: 20 }),
        (sources, calls) => {
          const [first, ...later] = sources.map((source) => parsePolicy(source))
          const force = createPoliciesInForce(first as Policy)
          for (const policy of later) {
            const before = calls.map((call) => force.decide(call).verdict)
            force.reload(policy)
            calls.forEach((call, at) => {
              const now = force.decide(call).verdict
              expect(isStricter(before[at] as 'ask', now)).toBe(false)
              expect(isStricter(decide(policy, call).verdict, now)).toBe(false)
            })
          }
          force.confirm({ channel: 'console', who: 'ada', revision: later.length })
          for (const call of calls)
            expect(force.decide(call).verdict).toBe(decide(later.at(-1) as Policy, call).verdict)
        },
      ),
    )
  })
})
