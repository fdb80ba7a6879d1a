import fc from 'fast-check'
import type { Call, Pin } from '../call.ts'

const servers = ['a', 'A', 'ab', 'b']
const names = ['s', 'S', 'st', 't']
const uris = ['x:/s', 'x:/S', 'x:/%73', 'x:/a/../s']
const templates = ['x:/{n}', 'x:/{+n}']
const profiles = ['p', 'q']
const kinds = ['tool', 'prompt', 'resource'] as const
const verdicts = ['allow', 'ask', 'deny'] as const

const serverPattern = fc.constantFrom(...servers, '*', 'a*', '*b')
const namePattern = fc.constantFrom(...names, '*', 's*', '*t')
const resourcePattern = fc.constantFrom(...uris, ...templates, '*', 'x:/s*', 'x:/*')

interface WrittenCondition {
  readonly pointer: string
  readonly atMost?: number
  readonly equals?: string | number
  readonly exists?: boolean
}

const condition: fc.Arbitrary<WrittenCondition> = fc.oneof(
  fc.record({ pointer: fc.constantFrom('/n', '/m'), atMost: fc.constantFrom(1, 2) }),
  fc.record({ pointer: fc.constantFrom('/n', '/m'), equals: fc.constantFrom(1, 'x') }),
  fc.record({ pointer: fc.constantFrom('/n', '/m'), exists: fc.boolean() }),
)

const ruleOf = (
  kind: fc.Arbitrary<(typeof kinds)[number]>,
  conditions: fc.Arbitrary<WrittenCondition> = condition,
  server = serverPattern,
  names = namePattern,
) =>
  fc
    .record(
      {
        server,
        kind,
        name: names,
        uri: resourcePattern,
        decision: fc.constantFrom(...verdicts),
        profile: fc.option(fc.subarray(profiles, { minLength: 1 }), { nil: undefined }),
        when: fc.option(fc.array(conditions, { minLength: 1, maxLength: 2 }), { nil: undefined, freq: 2 }),
      },
      { noNullPrototype: true },
    )
    .map(({ kind, name, uri, profile, when, server, decision }) => ({
      server,
      [kind]: kind === 'resource' ? uri : name,
      decision,
      ...(profile ? { profile } : {}),
      ...(when ? { when } : {}),
    }))

/** A rule as written, over a world small enough that rules meet. */
export const arbitraryRule = ruleOf(fc.constantFrom(...kinds))

/** A policy as written. */
export const arbitraryPolicy = fc.record(
  {
    rules: fc.array(arbitraryRule, { maxLength: 6 }),
    defaults: fc.record(
      {
        tool: fc.constantFrom(...verdicts),
        prompt: fc.constantFrom(...verdicts),
        resource: fc.constantFrom(...verdicts),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
  },
  { noNullPrototype: true },
)

const args = fc.record(
  { n: fc.constantFrom<unknown>(0, 1, 2, 3, 'x', null), m: fc.constantFrom<unknown>(0, 2, 'x', [1]) },
  { requiredKeys: [], noNullPrototype: true },
)

const approved: Pin = { state: 'approved', digest: 'd1' }

/** A call of that world, of an approved definition. */
export const arbitraryCall: fc.Arbitrary<Call> = fc
  .record({
    server: fc.constantFrom(...servers, 'zz'),
    kind: fc.constantFrom(...kinds),
    name: fc.constantFrom(...names, 'zz'),
    uri: fc.constantFrom(...uris, 'x:/zz'),
    template: fc.constantFrom(...templates, undefined),
    args,
    profile: fc.constantFrom(...profiles),
  })
  .map(({ server, kind, name, uri, template, args, profile }) => ({
    key: { server, kind, name: kind === 'resource' ? uri : name },
    args,
    pin: approved,
    caller: { profile },
    ...(kind === 'resource' && template !== undefined ? { template } : {}),
  }))

/** A policy for one kind of thing, and the same after a few edits, such as people make. */
export const arbitraryEdit = fc.constantFrom(...kinds).chain((kind) => {
  // Few different parts, so that regions are often the same or inside each other.
  const conditions = fc.constantFrom<WrittenCondition>(
    { pointer: '/n', atMost: 1 },
    { pointer: '/m', exists: true },
  )
  const rule = ruleOf(
    fc.constant(kind),
    conditions,
    fc.constantFrom('a', '*', 'a*'),
    fc.constantFrom('s', '*', 's*'),
  )
  const step = fc.record({ how: fc.constantFrom('add', 'drop', 'swap', 'decide'), at: fc.nat(), rule })
  return fc
    .record({
      rules: fc.array(rule, { minLength: 1, maxLength: 4 }),
      steps: fc.array(step, { minLength: 1, maxLength: 2 }),
      verdict: fc.constantFrom(...verdicts),
    })
    .map(({ rules, steps, verdict }) => ({
      kind,
      before: { rules, defaults: { [kind]: verdict } },
      after: { rules: steps.reduce(applyStep, rules), defaults: { [kind]: verdict } },
    }))
})

type WrittenRule = typeof arbitraryRule extends fc.Arbitrary<infer Rule> ? Rule : never
interface Step {
  readonly how: string
  readonly at: number
  readonly rule: WrittenRule
}

function applyStep(rules: readonly WrittenRule[], { how, at, rule }: Step): WrittenRule[] {
  const place = at % (rules.length + 1)
  const mine = rules[place]
  if (how === 'add' || mine === undefined) return rules.toSpliced(place, 0, rule)
  if (how === 'drop') return rules.toSpliced(place, 1)
  if (how === 'decide') return rules.with(place, { ...mine, decision: rule.decision })
  const next = rules[place + 1]
  return next === undefined ? [...rules] : rules.with(place, next).with(place + 1, mine)
}

/** Every call of a kind that differs for any rule of this world. */
export function everyCall(kind: (typeof kinds)[number]): readonly Call[] {
  const own = kind === 'resource' ? ['x:/s', 'x:/%73', 'x:/a/../s'] : ['s', 'st', 't']
  const numbers = [undefined, 1, 'x', 3]
  return ['a', 'ab', 'b'].flatMap((server) =>
    own.flatMap((name) =>
      profiles.flatMap((profile) =>
        numbers.flatMap((n) =>
          [undefined, 2].flatMap((m) =>
            (kind === 'resource' ? [undefined, ...templates] : [undefined]).map((template) => ({
              key: { server, kind, name },
              args: { ...(n === undefined ? {} : { n }), ...(m === undefined ? {} : { m }) },
              pin: approved,
              caller: { profile },
              template,
            })),
          ),
        ),
      ),
    ),
  )
}
