import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDecisionLog } from './log.ts'
import { memoryStore } from './memory-store.ts'
import { createMatcher, type Filter, mergeTrees } from './query.ts'
import type { LogRecord } from './record.ts'
import type { LogStore } from './store.ts'
import { decision, shop } from './testing/entries.ts'
import { collect } from './testing/store-contract.ts'
import { plainStore, writeTree } from './testing/tampering.ts'

describe('a query', () => {
  it('puts any number of trees in the order that sorting everything would give', async () => {
    // Times that collide, trees that overlap, and one that begins when others have long ended.
    const writers = fc.array(fc.array(fc.nat(5), { minLength: 1, maxLength: 8 }), {
      minLength: 1,
      maxLength: 5,
    })
    await fc.assert(
      fc.asyncProperty(
        writers,
        fc.array(fc.nat(20), { minLength: 5, maxLength: 5 }),
        async (steps, starts) => {
          const store = memoryStore()
          for (const [at, times] of steps.entries()) {
            let now = Date.UTC(2026, 10, 29) + (starts[at] ?? 0)
            const log = createDecisionLog({ store, clock: () => now })
            for (const step of times) {
              now += step
              await log.append(decision('x'))
            }
          }
          const merged = await collect(createDecisionLog({ store }))
          expect(merged.length).toBe(steps.flat().length + steps.length)
          // Said another way than `comparePositions` does.
          const places = merged.map(
            ({ time, tree, index }) => `${time} ${tree} ${String(index).padStart(9, '0')}`,
          )
          expect(places).toEqual(places.toSorted())
          for (const record of merged) expect(merged.filter(({ id }) => id === record.id)).toHaveLength(1)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('opens a tree when its time has come, and no more of them at once than overlap', async () => {
    const store = memoryStore()
    for (let at = 0; at < 30; at += 1) {
      const log = createDecisionLog({ store, clock: () => Date.UTC(2026, 10, 29) + at * 1000 })
      await log.append(decision(`${at}`))
    }
    let open = 0
    let most = 0
    const counting: LogStore = {
      ...store,
      async *read(tree) {
        open += 1
        most = Math.max(most, open)
        yield* store.read(tree)
        open -= 1
      },
    }
    let seen = 0
    for await (const _record of mergeTrees(counting, await store.trees())) seen += 1
    expect(seen).toBe(60)
    expect(most).toBe(1)
  })

  it('closes what it opened when its reader stops early', async () => {
    const store = memoryStore()
    for (let at = 0; at < 3; at += 1) await createDecisionLog({ store, clock: () => 0 }).append(decision('x'))
    let open = 0
    const counting: LogStore = {
      ...store,
      async *read(tree) {
        open += 1
        try {
          yield* store.read(tree)
        } finally {
          open -= 1
        }
      },
    }
    for await (const record of createDecisionLog({ store: counting }).query()) {
      expect(record.type).toBe('log')
      break
    }
    expect(open).toBe(0)
  })

  it('gives back nothing for a limit of none, and says which bound of time is not one', async () => {
    const log = createDecisionLog({ store: memoryStore() })
    await log.append(decision('x'))
    expect(await collect(log, { limit: 0 })).toEqual([])
    await expect(collect(log, { since: 'yesterday' })).rejects.toMatchObject({ code: 'bad-option' })
  })

  it('finds what looking at every record finds, whatever the names are', async () => {
    const text = fc.oneof(
      fc.constantFrom('shop', 'a"b', 'a\\b', 'é', '', 'x\u0000', ':"'),
      fc.string({ maxLength: 4 }),
    )
    const key = fc.record({ server: text, kind: fc.constant('tool' as const), name: text })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(key, text), { minLength: 1, maxLength: 8 }), async (entries) => {
        const log = createDecisionLog({ store: memoryStore(), clock: () => 0, keep: { texts: [], keys: [] } })
        for (const [each, call] of entries)
          await log.append(decision(call, { key: each, caller: { profile: call } }))
        const all = await collect(log)
        const [[first, call] = [shop, '']] = entries
        const filters: Filter[] = [
          { key: first },
          { server: first.server },
          { name: first.name },
          { call },
          { profile: call, verdict: 'allow' },
        ]
        for (const filter of filters) {
          const found = await collect(log, filter)
          expect(found).toEqual(all.filter(createMatcher(filter)))
          expect(found.length).toBeGreaterThan(0)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('is not stopped by lines that were tampered with', async () => {
    const json = fc.jsonValue()
    const members = fc.constantFrom(
      'key',
      'held',
      'caller',
      'traceparent',
      'call',
      'server',
      'verdict',
      'type',
    )
    const filters: Filter[] = [
      { key: shop },
      { server: 'shop' },
      { kind: 'tool' },
      { profile: 'x' },
      { traceId: '0'.repeat(32) },
      { call: 'x' },
      { verdict: 'deny' },
      { type: 'drift' },
      { outcome: 'success' },
      { order: 'newest', limit: 3 },
    ]
    const base = JSON.parse((await writeTree(2)).lines[1] as string) as LogRecord
    fc.assert(
      fc.property(members, json, fc.boolean(), (member, value, drift) => {
        const record = {
          ...base,
          ...(drift ? { type: 'drift' } : {}),
          [member]: value,
        } as unknown as LogRecord
        for (const filter of filters) expect([true, false]).toContain(createMatcher(filter)(record))
      }),
      { numRuns: 500 },
    )
    const odd = [
      '{}',
      'null',
      '[]',
      '{"index":0}',
      'not json',
      '\u0000',
      JSON.stringify({ ...base, key: null, held: [null] }),
    ]
    const store = plainStore({ tree: '20261129T000000000Z-0000000000000000', lines: odd, checkpoints: [] })
    for (const filter of filters) await collect(createDecisionLog({ store }), filter)
    expect(await collect(createDecisionLog({ store }))).toHaveLength(1)
  })
})
