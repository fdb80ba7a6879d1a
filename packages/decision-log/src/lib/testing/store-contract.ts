import { describe, expect, it } from 'vitest'
import { createDecisionLog, type DecisionLog } from '../log.ts'
import type { Filter } from '../query.ts'
import type { LogRecord } from '../record.ts'
import type { LogStore } from '../store.ts'
import { decision, everyType, outcome, shop, steppingClock } from './entries.ts'

/** A store, and another view of the same place, as another process has it. */
export interface Opened {
  readonly store: LogStore
  readonly again: () => LogStore
}

export async function collect(log: Pick<DecisionLog, 'query'>, filter: Filter = {}): Promise<LogRecord[]> {
  const records: LogRecord[] = []
  for await (const record of log.query(filter)) records.push(record)
  return records
}

const withoutHeaders = {
  type: ['decision', 'outcome', 'denial', 'drift', 'read', 'approval', 'event'],
} as const

/** What every store promises. */
export function storeContract(name: string, open: () => Promise<Opened>): void {
  describe(`${name}: the store contract`, () => {
    it('gives back every type of record as it was appended, behind a header', async () => {
      const { store, again } = await open()
      const log = createDecisionLog({ store })
      const receipts = []
      for (const entry of everyType) receipts.push(await log.append(entry))
      await log.flush()
      const read = await collect(createDecisionLog({ store: again() }))
      expect(read.map(({ type }) => type)).toEqual(['log', ...everyType.map(({ type }) => type)])
      expect(read.map(({ index }) => index)).toEqual(read.map((_, at) => at))
      expect(read.slice(1).map(({ id }) => id)).toEqual(receipts.map(({ id }) => id))
      for (const [at, entry] of everyType.entries()) {
        const { arguments: _given, result: _result, ...rest } = entry as unknown as Record<string, unknown>
        expect(read[at + 1]).toMatchObject(rest)
      }
      await log.close()
    })

    it('is verified from end to end, by another reader too', async () => {
      const { store, again } = await open()
      const log = createDecisionLog({ store })
      for (const entry of everyType) await log.append(entry)
      const own = await log.verify()
      expect(own).toMatchObject({ ok: true, records: 8, errors: 0, notes: 0 })
      expect(await createDecisionLog({ store: again() }).verify()).toEqual(own)
      await log.close()
    })

    it('keeps every record of many that are appended at once, in the order of the calls', async () => {
      const { store, again } = await open()
      const log = createDecisionLog({ store })
      const calls = Array.from({ length: 500 }, (_, at) => `call-${at}`)
      const receipts = await Promise.all(calls.map((call) => log.append(decision(call))))
      expect(receipts.map(({ index }) => index)).toEqual(calls.map((_, at) => at + 1))
      const read = await collect(createDecisionLog({ store: again() }), { type: 'decision' })
      expect(read.map((record) => 'call' in record && record.call)).toEqual(calls)
      await log.close()
    })

    it('finds by key, type, time, verdict, outcome, call, id, profile and trace', async () => {
      const { store } = await open()
      const log = createDecisionLog({ store, clock: steppingClock() })
      const other = { ...shop, name: 'Search' }
      await log.append(decision('a'))
      await log.append(outcome('a'))
      await log.append(decision('b', { key: other, verdict: 'deny', caller: { profile: 'ci' } }))
      await log.append(outcome('b', { key: other, outcome: 'refused' }))
      const trace = '00-0AF7651916CD43DD8448EB211C80319C-00f067aa0ba902b7-01'
      const marked = await log.append(decision('c', { traceparent: trace }))
      for (const entry of everyType.slice(2)) await log.append(entry)

      const calls = async (filter: Filter) =>
        (await collect(log, filter)).map((record) => `${record.type} ${'call' in record ? record.call : ''}`)
      expect(await calls({ key: other })).toEqual(['decision b', 'outcome b'])
      expect(await calls({ server: 'shop', kind: 'tool', name: 'search', type: 'decision' })).toEqual([
        'decision a',
        'decision c',
      ])
      expect(await calls({ verdict: 'deny' })).toEqual(['decision b'])
      expect(await calls({ outcome: 'refused' })).toEqual(['outcome b'])
      expect(await calls({ call: 'a' })).toEqual(['decision a', 'outcome a'])
      expect(await calls({ id: marked.id })).toEqual(['decision c'])
      expect(await calls({ profile: 'ci' })).toEqual(['decision b'])
      expect(await calls({ traceId: '0af7651916cd43dd8448eb211c80319c' })).toEqual(['decision c'])
      expect(await calls({ kind: 'resource' })).toEqual(['read c2'])
      // A drift is about every key it holds, and a server's own records need no key.
      expect((await collect(log, { server: 'shop', type: ['drift', 'denial', 'event'] })).length).toBe(3)
      expect((await collect(log, { key: shop, type: 'drift' })).length).toBe(1)
      expect(await calls({ since: marked.time, until: Date.parse(marked.time) + 1 })).toEqual(['decision c'])
      expect(await calls({ until: marked.time, type: 'decision' })).toEqual(['decision a', 'decision b'])
      expect(await calls({ name: 'nothing has this name' })).toEqual([])
      await log.close()
    })

    it('puts the records of several writers in one order, and pages through them in both directions', async () => {
      const { store, again } = await open()
      const clock = steppingClock()
      const logs = [store, again(), again()].map((each) => createDecisionLog({ store: each, clock }))
      for (let at = 0; at < 60; at += 1) await logs[at % 3]?.append(decision(`call-${at}`))
      const log = logs[0] as DecisionLog
      const all = await collect(log, withoutHeaders)
      expect(all.map((record) => 'call' in record && record.call)).toEqual(
        Array.from({ length: 60 }, (_, at) => `call-${at}`),
      )
      for (const order of ['oldest', 'newest'] as const) {
        const paged: LogRecord[] = []
        for (;;) {
          const after = paged.at(-1)
          const page = await collect(log, { ...withoutHeaders, order, limit: 7, after })
          if (page.length === 0) break
          expect(page.length).toBeLessThanOrEqual(7)
          paged.push(...page)
        }
        expect(paged).toEqual(order === 'oldest' ? all : all.toReversed())
      }
      expect((await log.verify()).trees.length).toBe(3)
      for (const each of logs) await each.close()
    })

    it('keeps order within a writer whose clock is set back', async () => {
      const { store } = await open()
      const times = [3, 2, 1].map((hour) => Date.parse(`2026-11-29T0${hour}:00:00Z`))
      const log = createDecisionLog({ store, clock: () => times.shift() ?? 0 })
      for (const call of ['a', 'b', 'c']) await log.append(decision(call))
      const read = await collect(log, { type: 'decision' })
      expect(read.map((record) => 'call' in record && record.call)).toEqual(['a', 'b', 'c'])
      expect(read.map(({ time }) => time)).toEqual(
        Array.from({ length: 3 }, () => '2026-11-29T03:00:00.000Z'),
      )
      await log.close()
    })

    it('keeps names that are hostile to a database or a line format letter for letter', async () => {
      const { store, again } = await open()
      const log = createDecisionLog({ store })
      const names = [
        'a\u0000b',
        'a\nb',
        'lone \ud800',
        "'; drop table x; --",
        '\u2028',
        '"',
        '\\u0000',
        '😀',
        '',
      ]
      for (const name of names) await log.append(decision('x', { key: { ...shop, name } }))
      expect((await log.verify()).findings).toEqual([])
      const reader = createDecisionLog({ store: again() })
      for (const name of names) {
        const found = await collect(reader, { key: { ...shop, name } })
        expect(found.map((record) => 'key' in record && record.key)).toEqual([{ ...shop, name }])
      }
      await log.close()
    })
  })
}
