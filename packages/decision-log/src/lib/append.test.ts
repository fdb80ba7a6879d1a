import { describe, expect, it } from 'vitest'
import type { DecisionLogError } from './errors.ts'
import { createDecisionLog, type DecisionLog } from './log.ts'
import { memoryStore } from './memory-store.ts'
import type { LogEntry } from './record.ts'
import { decision, outcome } from './testing/entries.ts'
import { collect } from './testing/store-contract.ts'

describe('what becomes of an entry', () => {
  it('says nothing in an error of what others say in theirs, for it may quote a record or a secret', async () => {
    const secret = 'hunter2-correct-horse'
    const failing = { ...memoryStore(), openTree: () => Promise.reject(new Error(`bad value ${secret}`)) }
    const errors: unknown[] = []
    const log = createDecisionLog({ store: failing, keep: { secrets: [secret] } })
    const cyclic: Record<string, unknown> = {}
    cyclic[secret] = cyclic
    const unreadable: unknown[] = [
      { type: 'event', event: 'e' },
      { type: secret },
      { type: 'event', event: 'e', detail: cyclic },
      {
        type: 'event',
        get event() {
          throw new Error(secret)
        },
      },
      {
        type: 'event',
        get event() {
          throw secret
        },
      },
    ]
    for (const entry of unreadable) await log.append(entry as LogEntry).catch((error) => errors.push(error))
    expect(errors.map((error) => (error as DecisionLogError).code)).toEqual([
      'write-failed',
      'bad-record',
      'bad-record',
      'bad-record',
      'bad-record',
    ])
    for (const error of errors) expect((error as Error).message).not.toContain(secret)
  })

  it('keeps records of a log that knows a secret of any length', async () => {
    const secret = `-----BEGIN X-----\n${'Zq9x+/K2"mP7\n'.repeat(20_000)}`
    const log = createDecisionLog({ store: memoryStore(), keep: { secrets: [secret] } })
    await log.append(outcome('a', { message: 'progress 50%' }))
    await log.append(outcome('b', { message: JSON.stringify({ key: secret }) }))
    expect(await collect(log, { type: 'outcome' })).toMatchObject([
      { message: 'progress 50%' },
      { message: '{"key":"[redacted]"}' },
    ])
  })

  it('writes JSON objects alone, whatever an entry is made of, or refuses it', async () => {
    const own = { type: 'event', event: 'e', server: 's', message: 'm' }
    const reserved = { index: 99, hash: 'h', tree: 't', id: 'i', time: 'now', schema: 7 }
    const hidden = { value: 'event', enumerable: false }
    class Accessors {
      get type() {
        return 'event'
      }
      get event() {
        return 'e'
      }
    }
    const shapes: Readonly<Record<string, () => unknown>> = {
      plain: () => own,
      bare: () => Object.assign(Object.create(null), own),
      reserved: () => ({ ...own, ...reserved }),
      members: () => Object.assign(new Accessors(), { server: 's' }),
      accessors: () => new Accessors(),
      inherited: () => Object.create(own),
      'not enumerable': () => Object.defineProperty({ event: 'e' }, 'type', hidden),
      getter: () => Object.defineProperty({ event: 'e' }, 'type', { get: () => 'event', enumerable: true }),
      'changing getter': () => {
        const types = ['event', 'log', 7]
        return Object.defineProperty({ event: 'e' }, 'type', { get: () => types.shift(), enumerable: true })
      },
      'toJSON of an object': () => ({ ...own, toJSON: () => ({ ...own, ...reserved }) }),
      'toJSON of a text': () => ({ ...own, toJSON: () => 'abc' }),
      'toJSON of nothing': () => ({ ...own, toJSON: () => undefined }),
      'toJSON of a list': () => ({ ...own, toJSON: () => [own] }),
      'toJSON of its like': () => ({ ...own, toJSON: () => ({ ...own, toJSON: () => 'abc' }) }),
      'inherited toJSON': () => Object.assign(Object.create({ toJSON: () => own }), { type: 'event' }),
      list: () => Object.assign([], own),
      text: () => 'event',
      nothing: () => null,
      proxy: () => new Proxy(own, {}),
    }
    for (const secrets of [[], ['Zq9xK2mP7']]) {
      const store = memoryStore()
      const log = createDecisionLog({ store, keep: { secrets } })
      const kept: string[] = []
      for (const [name, make] of Object.entries(shapes))
        await log.append(make() as LogEntry).then(
          () => kept.push(name),
          (error: DecisionLogError) => expect(error.code, name).toBe('bad-record'),
        )
      for await (const batch of store.read(log.tree as string))
        for (const line of batch.lines.slice(1)) {
          const text = Buffer.from(line).toString()
          expect(JSON.parse(text), text).toMatchObject({ type: 'event', event: 'e', tree: log.tree })
          expect(text.match(/"(?:index|hash|tree|id|time|schema)":/g)).toHaveLength(6)
        }
      expect(kept).toEqual([
        ...[
          'plain',
          'bare',
          'reserved',
          'getter',
          'changing getter',
          'toJSON of an object',
          'toJSON of its like',
        ],
        ...['inherited toJSON', 'proxy'],
      ])
      expect(await collect(log, { type: 'event' })).toHaveLength(kept.length)
      expect(await log.verify()).toMatchObject({ ok: true, notes: 0 })
    }
  })

  it('refuses what the reading of an entry appends, and keeps the entry whole', async () => {
    const refused: Promise<unknown>[] = []
    const inner = (): number =>
      refused.push(log.append({ type: 'event', event: 'inner' }).catch((error) => error.code))
    const log: DecisionLog = createDecisionLog({
      store: memoryStore(),
      clock: () => inner() * 1000,
      keep: { digest: (value) => `own:${JSON.stringify(value)}${inner() > 0 ? '' : '!'}` },
    })
    const entry = {
      type: 'event',
      get event() {
        return inner() > 0 ? 'outer' : ''
      },
    } as const
    await log.append(entry)
    await log.append(decision('a', { arguments: 1 }))
    expect(await Promise.all(refused)).toEqual(['bad-record', 'bad-record', 'bad-record', 'bad-record'])
    expect(await collect(log, { type: ['event', 'decision'] })).toMatchObject([
      { event: 'outer' },
      { arguments: { digest: 'own:1' } },
    ])
    expect((await log.verify()).ok).toBe(true)
  })

  it('refuses ids that are no texts, and times that are none, and goes on', async () => {
    const ids: unknown[] = [undefined, 7, 'a', 'b']
    const log = createDecisionLog({ store: memoryStore(), ids: () => ids.shift() as string })
    for (const _ of [1, 2])
      await expect(log.append(decision('a'))).rejects.toMatchObject({ code: 'bad-option' })
    expect((await log.append(decision('a'))).id).toBe('a')
    const times = [9e15, 5000]
    const late = createDecisionLog({ store: memoryStore(), clock: () => times.shift() ?? 5000 })
    await expect(late.append(decision('a'))).rejects.toMatchObject({ code: 'bad-record' })
    expect((await late.append(decision('a'))).time).toBe('1970-01-01T00:00:05.000Z')
  })
})
