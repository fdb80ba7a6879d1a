import { afterEach, describe, expect, it } from 'vitest'
import type { Answer, Binding } from '../approval.ts'
import type { Approvals, ApprovalsOptions, Question } from '../approvals.ts'

/** What the contract needs of a store. */
export interface Fixture {
  /** Approvals over one and the same empty store; each call is another process's view of it. */
  open(options: ApprovalsOptions): Promise<Approvals>
}

/** One contract for every store: questions, answers, and what is in force. */
export function describeApprovals(name: string, fixture: () => Promise<Fixture>): void {
  describe(`approvals in ${name}`, () => {
    let time = 1_000_000
    const opened: Approvals[] = []
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((approvals) => approvals.close()))
      time = 1_000_000
    })
    const start = async (options: ApprovalsOptions = {}) => {
      const store = await fixture()
      const view = async (): Promise<Approvals> => {
        const approvals = await store.open({ clock: () => time, ...options })
        opened.push(approvals)
        return approvals
      }
      return { approvals: await view(), view }
    }

    const binding = (more: Partial<Binding> = {}): Binding => ({
      key: { server: 'shop-a', kind: 'tool', name: 'search' },
      pin: 'd1',
      args: 'a1',
      profile: 'default',
      ...more,
    })
    const question = (more: Partial<Binding> = {}, args: unknown = { q: 'tea' }): Question => ({
      binding: binding(more),
      args,
      pin: { state: 'approved', digest: 'd1' },
      rule: 'default:tool',
      reason: 'no rule matches',
    })
    const says = (more: Partial<Answer> = {}): Omit<Answer, 'at'> => ({
      verdict: 'allow',
      scope: 'call',
      channel: 'terminal',
      who: 'ada',
      ...more,
    })

    it('opens one question for the same call, and another for any difference', async () => {
      const { approvals } = await start()
      const first = await approvals.ask(question())
      expect((await approvals.ask(question())).id).toBe(first.id)
      const others: Partial<Binding>[] = [
        { args: 'a2' },
        { pin: 'd2' },
        { pin: undefined },
        { profile: 'ci' },
        { endpoint: 'e1' },
        { key: { server: 'shop-a', kind: 'tool', name: 'Search' } },
        { key: { server: 'shop-b', kind: 'tool', name: 'search' } },
        { key: { server: 'shop-a', kind: 'prompt', name: 'search' } },
      ]
      const ids = [first.id]
      for (const other of others) ids.push((await approvals.ask(question(other))).id)
      expect(new Set(ids).size).toBe(ids.length)
      expect((await approvals.pending()).map((request) => request.id)).toEqual(ids)
    })

    it('gives back what was asked, every character of it', async () => {
      const { approvals, view } = await start()
      const hostile = { text: '\u0000 \uD800 \u200B 😀 "\\', deep: [{ __proto__: null, n: 1e300 }, null, -1] }
      const key = { server: 'a\u0000b', kind: 'tool', name: '"x\\y"\u2028' } as const
      const asked = await approvals.ask(question({ key }, JSON.parse(JSON.stringify(hostile))))
      const seen = await (await view()).get(asked.id)
      expect(seen).toEqual(asked)
      expect(seen?.args).toEqual(JSON.parse(JSON.stringify(hostile)))
      await approvals.answer(asked.id, says({ scope: 'pair' }))
      expect((await (await view()).grants(key))[0]?.binding.key).toEqual(key)
    })

    it('is answered once, by whoever comes first', async () => {
      const { approvals, view } = await start()
      const { id } = await approvals.ask(question())
      const people = await Promise.all([view(), view(), view(), view()])
      const results = await Promise.all(people.map((one, at) => one.answer(id, says({ who: `p${at}` }))))
      expect(results.filter((result) => result.ok)).toHaveLength(1)
      const codes = results.filter((result) => !result.ok).map((result) => !result.ok && result.code)
      expect(codes).toEqual(['already-answered', 'already-answered', 'already-answered'])
      const winner = results.find((result) => result.ok)
      expect((await approvals.get(id))?.answer).toEqual(winner?.ok && winner.grant.answer)
      expect(await approvals.pending()).toEqual([])
      expect(await approvals.grants()).toHaveLength(1)
    })

    it('refuses an answer to a question that is over or was never asked', async () => {
      const { approvals } = await start({ expiresAfter: 1000 })
      const { id } = await approvals.ask(question())
      time += 1000
      expect(await approvals.pending()).toEqual([])
      expect(await approvals.answer(id, says())).toMatchObject({ ok: false, code: 'expired' })
      expect(await approvals.answer('nobody', says())).toMatchObject({ ok: false, code: 'unknown-request' })
      expect((await approvals.ask(question())).id).not.toBe(id)
      expect(await approvals.grants()).toEqual([])
    })

    it('uses an approval of one call once, even when many try', async () => {
      const { approvals, view } = await start()
      const { id } = await approvals.ask(question())
      await approvals.answer(id, says())
      expect(await approvals.take(binding({ args: 'a2' }))).toBeUndefined()
      const views = await Promise.all([view(), view(), view(), view(), view()])
      const taken = await Promise.all(views.map((one) => one.take(binding())))
      expect(taken.filter((grant) => grant !== undefined)).toHaveLength(1)
      expect(await approvals.grants()).toEqual([])
    })

    it('lets an unused approval of one call end', async () => {
      const { approvals } = await start({ useWithin: 500 })
      const { id } = await approvals.ask(question())
      await approvals.answer(id, says())
      time += 500
      expect(await approvals.take(binding())).toBeUndefined()
      expect(await approvals.grants()).toEqual([])
    })

    const elsewhere: Readonly<Record<string, Partial<Binding>>> = {
      'other arguments': { args: 'a2' },
      'a changed definition': { pin: 'd2' },
      'another profile': { profile: 'ci' },
      'a changed endpoint': { endpoint: 'e2' },
      'a tool of another server': { key: { server: 'shop-b', kind: 'tool', name: 'search' } },
      'a name that differs in case': { key: { server: 'shop-a', kind: 'tool', name: 'Search' } },
      'a prompt of that name': { key: { server: 'shop-a', kind: 'prompt', name: 'search' } },
    }
    const reach: Readonly<Record<Exclude<Answer['scope'], 'call'>, readonly string[]>> = {
      arguments: [],
      pair: ['other arguments'],
      always: ['other arguments', 'a changed definition'],
    }
    for (const scope of ['arguments', 'pair', 'always'] as const) {
      it(`keeps an answer of scope "${scope}" to what it was given for`, async () => {
        const { approvals, view } = await start()
        const { id } = await approvals.ask(question({ endpoint: 'e1' }))
        await approvals.answer(id, says({ scope }))
        time += 1e12
        const other = await view()
        const mine = { endpoint: 'e1' }
        expect((await other.take(binding(mine)))?.answer).toMatchObject({ scope, who: 'ada' })
        expect(await other.take(binding(mine))).toBeDefined()
        const covered: string[] = []
        for (const [label, change] of Object.entries(elsewhere)) {
          if (await other.take(binding({ ...mine, ...change }))) covered.push(label)
        }
        expect(covered).toEqual(reach[scope])
      })
    }

    it('puts a denial before an approval', async () => {
      const { approvals } = await start()
      const first = await approvals.ask(question())
      const second = await approvals.ask(question({ args: 'a2' }))
      await approvals.answer(first.id, says({ scope: 'always' }))
      await approvals.answer(second.id, says({ scope: 'arguments', verdict: 'deny' }))
      expect((await approvals.take(binding()))?.answer.verdict).toBe('allow')
      expect((await approvals.take(binding({ args: 'a2' })))?.answer.verdict).toBe('deny')
    })

    it('ends answers by id, by pair and by server, and never all by an empty filter', async () => {
      const { approvals, view } = await start()
      const other = { server: 'shop-b', kind: 'tool', name: 'search' } as const
      const buy = { server: 'shop-a', kind: 'tool', name: 'buy' } as const
      for (const key of [binding().key, buy, other]) {
        const { id } = await approvals.ask(question({ key }))
        await approvals.answer(id, says({ scope: 'pair' }))
      }
      const names = async () =>
        (await approvals.grants()).map(({ binding: { key } }) => `${key.server}/${key.name}`)
      expect(await approvals.revoke({})).toEqual([])
      expect(await names()).toEqual(['shop-a/search', 'shop-a/buy', 'shop-b/search'])
      expect(await (await view()).revoke({ key: buy })).toHaveLength(1)
      expect(await names()).toEqual(['shop-a/search', 'shop-b/search'])
      expect(await approvals.revoke({ server: 'shop-a' })).toHaveLength(1)
      const [last] = await approvals.grants()
      expect(await approvals.revoke({ id: last?.id })).toEqual([last])
      expect(await names()).toEqual([])
      expect(await approvals.take(binding())).toBeUndefined()
    })

    it('takes a question back', async () => {
      const { approvals } = await start()
      const { id } = await approvals.ask(question())
      await approvals.withdraw(id)
      expect(await approvals.pending()).toEqual([])
      expect(await approvals.answer(id, says())).toMatchObject({ ok: false, code: 'expired' })
      await approvals.withdraw('nobody')
    })

    it('records the channel, and leaves a question open that the channel may not answer', async () => {
      const { approvals } = await start()
      const { id } = await approvals.ask(question({ profile: 'desktop' }))
      const byClient = says({ channel: 'elicitation', who: 'client' })
      expect(await approvals.answer(id, byClient)).toMatchObject({ ok: false, code: 'profile-not-marked' })
      const wide = await approvals.answer(id, { ...byClient, scope: 'pair' }, ['desktop'])
      expect(wide).toMatchObject({ ok: false, code: 'scope-too-wide' })
      const byFile = await approvals.answer(id, says({ channel: 'file' }))
      expect(byFile).toMatchObject({ ok: false, code: 'channel-may-not-grant' })
      expect(await approvals.pending()).toHaveLength(1)
      const told = await approvals.answer(id, byClient, ['desktop'])
      expect(told).toMatchObject({
        ok: true,
        grant: { answer: { channel: 'elicitation', who: 'client', at: time } },
      })
    })

    it('tells another process of an answer', async () => {
      const { approvals, view } = await start()
      const { id } = await approvals.ask(question())
      const waiting = await view()
      let stop = (): void => {}
      const told = new Promise<void>((resolve) => {
        stop = waiting.subscribe(() => {
          void waiting.get(id).then((request) => request?.answer && resolve())
        })
      })
      await approvals.answer(id, says())
      await told
      stop()
    })
  })
}
