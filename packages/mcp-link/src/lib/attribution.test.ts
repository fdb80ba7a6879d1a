import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAttribution, type Isolation } from './attribution.ts'
import { errorAnswer, failure, safeToRetry } from './failure.ts'
import type { RequestId } from './message.ts'
import type { Outcome } from './outcome.ts'

const result: Outcome = { kind: 'result', value: {} }
const never = new AbortController().signal

/** An attribution whose clock and calls are in the hands of the test; a client answers with the name of its call. */
function attribution(isolation: Isolation, doubtMs = 1_000) {
  let time = 0
  let lastId = 0
  const made = createAttribution(isolation, { doubtMs, now: () => time })
  return {
    answeredLate: made.answeredLate,
    pass: (ms: number) => {
      time += ms
    },
    begin(label: string, sent = true) {
      const call = made.began({ ask: async () => ({ kind: 'result', value: { label } }) })
      lastId += 1
      const id = lastId
      if (sent) call.sentAs(id)
      return { id, ...call }
    },
    /** Whom a question of the server reaches. */
    async asked(via?: RequestId): Promise<unknown> {
      const outcome = await made.answer('elicitation/create', {}, via, never, async () => ({
        kind: 'result',
        value: { label: 'handler' },
      }))
      return outcome.kind === 'result' ? outcome.value.label : outcome.kind === 'error' && outcome.failure
    },
  }
}

describe.each(['shared', 'session'] as const)('on a connection marked %s', (isolation) => {
  it.each<[string, Outcome]>([
    ['answered', result],
    ['given up', failure('cancelled', 'enough')],
  ])('a question that came with a call that was %s is put to nobody', async (_, outcome) => {
    const link = attribution(isolation)
    const [over, open] = [link.begin('over'), link.begin('open')]
    over.ended(outcome)
    expect(await link.asked(over.id)).toBe('refused')
    expect(await link.asked(open.id)).toBe('open')
    open.ended(result)
    expect(await link.asked(open.id)).toBe('refused')
  })
})

describe('a call that was given up', () => {
  const gaveUp = ['timeout', 'cancelled', 'transport'] as const

  it.each(gaveUp)('by %s may still be asking, until its answer comes', async (how) => {
    const link = attribution('shared')
    const [over, open] = [link.begin('over'), link.begin('open')]
    over.ended(failure(how, ''))
    expect(await link.asked()).toBe('refused')
    link.answeredLate(open.id)
    expect(await link.asked()).toBe('refused')
    link.answeredLate(over.id)
    expect(await link.asked()).toBe('open')
  })

  it('may still be asking for a limited time', async () => {
    const link = attribution('shared')
    link.begin('one').ended(failure('timeout', ''))
    link.pass(600)
    link.begin('two').ended(failure('timeout', ''))
    link.begin('open')
    link.pass(401)
    expect(await link.asked()).toBe('refused')
    link.pass(600)
    expect(await link.asked()).toBe('open')
  })

  it('leaves what is asked outside any call to the handler', async () => {
    const link = attribution('shared')
    link.begin('over').ended(failure('timeout', ''))
    expect(await link.asked()).toBe('handler')
  })

  it.each<[string, Outcome, boolean]>([
    ['answered', errorAnswer(-32000, 'no'), true],
    ['not understood', failure('invalid', ''), true],
    ['not carried out', failure('transport', '', safeToRetry), true],
    ['never sent', failure('cancelled', ''), false],
  ])('is not asking where it was %s', async (_, outcome, sent) => {
    const link = attribution('shared')
    link.begin('over', sent).ended(outcome)
    link.begin('open')
    expect(await link.asked()).toBe('open')
  })

  it('does not keep a session from asking its one client', async () => {
    const link = attribution('session')
    link.begin('over').ended(failure('cancelled', ''))
    link.begin('open')
    expect(await link.asked()).toBe('open')
  })
})

it('whatever calls begin and end, a question of a shared connection reaches its own client or none', async () => {
  const step = fc.record({
    does: fc.constantFrom('begin', 'answer', 'cancel', 'ask', 'ask', 'late'),
    pick: fc.nat(20),
    named: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const link = attribution('shared', Number.POSITIVE_INFINITY)
      const open: ReturnType<typeof link.begin>[] = []
      /** What the server is still at work on though nobody waits for it. */
      const lost: typeof open = []
      for (const { does, pick, named } of steps) {
        const [call] = open.length > 0 ? open.slice(pick % open.length) : []
        if (does === 'begin') open.push(link.begin(`call-${pick}-${open.length}`))
        if (does === 'late') for (const { id } of lost.splice(0, 1)) link.answeredLate(id)
        if (does === 'answer' || does === 'cancel') {
          if (!call) continue
          open.splice(open.indexOf(call), 1)
          if (does === 'cancel') lost.push(call)
          call.ended(does === 'answer' ? result : failure('cancelled', ''))
        }
        if (does !== 'ask') continue
        const asking = [...open, ...lost]
        const asker = asking[pick % Math.max(asking.length, 1)]
        if (!asker) continue
        const reached = await link.asked(named ? asker.id : undefined)
        const own = open.indexOf(asker) < 0 ? 'nobody' : ((await link.asked(asker.id)) as string)
        const allowed = open.length === 0 ? ['refused', 'handler'] : ['refused', own]
        expect(allowed).toContain(reached)
        if (named && own !== 'nobody') expect(reached).toBe(own)
      }
    }),
    { numRuns: 200 },
  )
})

describe('a question', () => {
  const asking = (signal: AbortSignal) => {
    const made = createAttribution('session')
    let asked: AbortSignal | undefined
    const call = made.began({
      ask: (_method, _params, options) => {
        asked = options?.signal
        return new Promise((resolve) =>
          asked?.addEventListener('abort', () => resolve(failure('cancelled', String(asked?.reason)))),
        )
      },
    })
    const outcome = made.answer('elicitation/create', {}, undefined, signal, undefined)
    return { call, outcome, aborted: () => asked?.aborted }
  }

  it('that the server takes back is withdrawn', async () => {
    const controller = new AbortController()
    const { outcome, aborted } = asking(controller.signal)
    expect(aborted()).toBe(false)
    controller.abort('not needed')
    expect(aborted()).toBe(true)
    expect(await outcome).toMatchObject({ error: { message: 'not needed' } })
  })

  it('is withdrawn when its call is over, however that ended', async () => {
    for (const end of [result, failure('timeout', '')]) {
      const { call, outcome, aborted } = asking(never)
      expect(aborted()).toBe(false)
      call.ended(end)
      expect(aborted()).toBe(true)
      expect(await outcome).toMatchObject({ failure: 'cancelled' })
    }
  })
})
