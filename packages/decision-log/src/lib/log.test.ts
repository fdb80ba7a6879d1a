import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ed25519Signer } from '../file.ts'
import { parseCheckpoint } from './checkpoint.ts'
import { createDecisionLog } from './log.ts'
import { memoryStore } from './memory-store.ts'
import type { LogStore } from './store.ts'
import { decision, everyType, outcome, shop, steppingClock } from './testing/entries.ts'
import { collect } from './testing/store-contract.ts'

const signer = ed25519Signer({ name: 'log.example', privateKey: generateKeyPairSync('ed25519').privateKey })

/** A store whose next appends fail: cleanly, or not. */
function failingStore(): { store: LogStore; fail: (how: 'clean' | 'unknown', times?: number) => void } {
  const store = memoryStore()
  let failures: ('clean' | 'unknown')[] = []
  return {
    fail: (how, times = 1) => {
      failures = Array.from({ length: times }, () => how)
    },
    store: {
      ...store,
      async openTree(tree) {
        const writer = await store.openTree(tree)
        return {
          ...writer,
          append(lines, first) {
            const how = failures.shift()
            // The lines get through, and nobody knows.
            if (how === 'unknown') writer.append(lines, first)
            if (how)
              throw Object.assign(
                new Error('ENOSPC: no space left on device, write'),
                { code: 'ENOSPC', errno: -28, syscall: 'write' },
                how === 'clean' ? { clean: true } : {},
              )
            return writer.append(lines, first)
          },
        }
      },
    },
  }
}

describe('a decision log', () => {
  it('writes nothing before the first record', async () => {
    const store = memoryStore()
    const log = createDecisionLog({ store, signer })
    expect(await log.checkpoint()).toBeUndefined()
    expect(log.tree).toBeUndefined()
    await log.close()
    expect(await store.trees()).toEqual([])
  })

  it('reads an entry when it is appended: what happens to it later does not matter', async () => {
    const log = createDecisionLog({ store: memoryStore() })
    const entry = { ...decision('a'), detail: { step: 'before' } }
    const done = log.append(entry)
    entry.detail.step = 'after'
    await done
    expect(await collect(log, { call: 'a' })).toMatchObject([{ detail: { step: 'before' } }])
  })

  it('lets nobody set what only the log sets', async () => {
    const log = createDecisionLog({ store: memoryStore(), clock: steppingClock(), ids: () => 'own-id' })
    const forged = { ...decision('a'), index: 99, tree: 'x', hash: 'y', id: 'z', time: '1999', schema: 7 }
    const { tree, time } = await log.append(forged)
    expect(await collect(log, { call: 'a' })).toMatchObject([
      { index: 1, tree, time, id: 'own-id', schema: 1 },
    ])
    expect((await log.verify()).ok).toBe(true)
  })

  it('keeps members it does not know', async () => {
    const log = createDecisionLog({ store: memoryStore() })
    await log.append(Object.assign(decision('a'), { later: { added: true } }))
    expect(await collect(log, { call: 'a' })).toMatchObject([{ later: { added: true } }])
  })

  it('acknowledges nothing that could not be written, and goes on where that left nothing behind', async () => {
    const { store, fail } = failingStore()
    const log = createDecisionLog({ store })
    await log.append(decision('a'))
    fail('clean')
    const refused = log.append(decision('b'))
    await expect(refused).rejects.toMatchObject({
      code: 'write-failed',
      message: expect.stringContaining('no space'),
    })
    await log.append(decision('c'))
    expect(
      (await collect(log, { type: 'decision' })).map((record) => 'call' in record && record.call),
    ).toEqual(['a', 'c'])
    expect(await log.verify()).toMatchObject({ ok: true, trees: [{ records: 3 }] })
  })

  it('begins a new tree where it cannot know what a failed write left behind', async () => {
    const { store, fail } = failingStore()
    const log = createDecisionLog({ store, clock: steppingClock() })
    const first = await log.append(decision('a'))
    fail('unknown')
    await expect(log.append(decision('b'))).rejects.toMatchObject({ code: 'write-failed' })
    const next = await log.append(decision('c'))
    expect(next.tree > first.tree).toBe(true)
    expect(next.index).toBe(1)
    const verification = await log.verify()
    expect(verification).toMatchObject({ ok: true, records: 5 })
    expect(verification.trees).toHaveLength(2)
  })

  it('refuses every record of a batch that failed, and none of the next', async () => {
    const { store, fail } = failingStore()
    const log = createDecisionLog({ store })
    await log.append(decision('a'))
    fail('clean')
    const batch = await Promise.allSettled(['b', 'c', 'd'].map((call) => log.append(decision(call))))
    expect(batch.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect((await log.append(decision('e'))).index).toBe(2)
  })

  it('keeps records apart that are appended while others are being written, large and small', async () => {
    const store = memoryStore()
    const slow: LogStore = {
      ...store,
      async openTree(tree) {
        const writer = await store.openTree(tree)
        return {
          ...writer,
          async append(lines, first) {
            await new Promise((done) => setTimeout(done, 1))
            return writer.append(lines, first)
          },
        }
      },
    }
    const log = createDecisionLog({ store: slow, keep: { maxTextLength: 1024 * 1024 } })
    const done: Promise<unknown>[] = []
    for (let at = 0; at < 300; at += 1) {
      const reason = at % 50 === 7 ? 'é'.repeat(100_000) : `reason ${at}`
      done.push(log.append(decision(`c-${at}`, { reason })))
      if (at % 10 === 0) await new Promise((next) => setTimeout(next, at % 3))
      if (at % 70 === 0) done.push(expect(log.append({ type: 'none' } as never)).rejects.toBeDefined())
    }
    await Promise.all(done)
    expect(await log.verify()).toMatchObject({ ok: true, records: 301 })
    const records = await collect(log, { type: 'decision' })
    expect(records.map((record) => 'call' in record && record.call)).toEqual(
      Array.from({ length: 300 }, (_, at) => `c-${at}`),
    )
    expect(records[57]).toMatchObject({ reason: 'é'.repeat(100_000) })
    expect(records[58]).toMatchObject({ reason: 'reason 58' })
  })

  it('refuses a record that is too large, or that is not JSON, and says so', async () => {
    const log = createDecisionLog({ store: memoryStore(), keep: { maxRecordBytes: 2000 } })
    const large = decision('a', { detail: { list: Array.from({ length: 500 }, (_, at) => `item ${at}`) } })
    await expect(log.append(large)).rejects.toMatchObject({
      code: 'record-too-large',
      evidence: { limit: 2000 },
    })
    const circle: Record<string, unknown> = {}
    circle.self = circle
    await expect(log.append(decision('b', { detail: circle as never }))).rejects.toMatchObject({
      code: 'bad-record',
    })
    await expect(log.append(decision('b', { detail: { big: 1n as never } }))).rejects.toMatchObject({
      code: 'bad-record',
    })
    expect((await log.append(decision('c'))).index).toBe(1)
  })

  it('takes nothing for an entry that is none, a header above all', async () => {
    const log = createDecisionLog({ store: memoryStore() })
    for (const entry of [{}, { type: 'log', origin: 'forged' }, { type: 'decisions' }, { type: 7 }])
      await expect(log.append(entry as never)).rejects.toMatchObject({ code: 'bad-record' })
    expect(await collect(log)).toEqual([])
  })

  it('makes a checkpoint after so many records, after a while, when asked, and when it is closed', async () => {
    const store = memoryStore()
    const seen: number[] = []
    const log = createDecisionLog({
      store,
      signer,
      checkpoints: { records: 10, ms: 20 },
      onCheckpoint: ({ size }) => void seen.push(size),
    })
    for (let at = 0; at < 9; at += 1) await log.append(decision(`${at}`))
    const tree = log.tree as string
    await log.flush()
    expect(seen).toEqual([10])
    await log.append(outcome('9'))
    while (seen.length < 2) await new Promise((done) => setTimeout(done, 5))
    expect(seen).toEqual([10, 11])
    await log.append(decision('10'))
    const asked = await log.checkpoint()
    expect(parseCheckpoint(asked?.note ?? '')).toMatchObject({ size: 12, origin: `log.example/${tree}` })
    await log.append(decision('11'))
    await log.close()
    expect((await store.checkpoints(tree)).map((note) => parseCheckpoint(note).size)).toEqual([
      10, 11, 12, 13,
    ])
    const reader = createDecisionLog({ store, signer })
    expect(await reader.verify()).toMatchObject({ ok: true, trees: [{ checkpoints: 4, sealed: 13 }] })
  })

  it('does not fail because a checkpoint could not be kept elsewhere, and tells', async () => {
    const told: string[] = []
    const log = createDecisionLog({
      store: memoryStore(),
      signer,
      checkpoints: { records: 1 },
      onCheckpoint: () => Promise.reject(new Error('the other disk is full')),
      onError: ({ cause }) => void told.push((cause as Error).message),
    })
    await log.append(decision('a'))
    await log.flush()
    expect(told).toEqual(['the other disk is full'])
    expect((await log.verify()).ok).toBe(true)
  })

  it('writes what is waiting before it closes, and nothing afterwards', async () => {
    const store = memoryStore()
    const log = createDecisionLog({ store })
    const waiting = Promise.all(everyType.map((entry) => log.append(entry)))
    await log.close()
    await waiting
    expect(await createDecisionLog({ store }).verify()).toMatchObject({
      ok: true,
      records: everyType.length + 1,
    })
    await expect(log.append(decision('late'))).rejects.toMatchObject({ code: 'log-closed' })
    await expect(log.checkpoint()).rejects.toMatchObject({ code: 'log-closed' })
    await expect(log.close()).resolves.toBeUndefined()
  })

  it('says which server answered, from the log alone (two servers of one name and tool)', async () => {
    const log = createDecisionLog({ store: memoryStore() })
    for (const server of ['shop-a', 'shop-b']) {
      const key = { ...shop, server }
      await log.append(decision(`to-${server}`, { key, flat: `${server}__search` }))
      await log.append(outcome(`to-${server}`, { key }))
    }
    const answers = await collect(log, { type: 'outcome', outcome: 'success' })
    expect(answers.map((record) => record.type === 'outcome' && record.key.server)).toEqual([
      'shop-a',
      'shop-b',
    ])
    expect((await collect(log, { server: 'shop' })).length).toBe(0)
  })

  it('keeps two tools apart whose names differ by case alone', async () => {
    const log = createDecisionLog({ store: memoryStore() })
    for (const name of ['search', 'Search', 'SEARCH'])
      await log.append(decision(name, { key: { ...shop, name } }))
    for (const server of ['shop', 'Shop']) {
      const found = await collect(log, { key: { ...shop, server, name: 'Search' } })
      expect(found.map((record) => 'call' in record && record.call)).toEqual(
        server === 'shop' ? ['Search'] : [],
      )
    }
  })

  it('keeps the trace of a read as one object, step by step', async () => {
    const log = createDecisionLog({ store: memoryStore() })
    const trace = [
      {
        step: 'match',
        template: 'docs://catalog/{name}',
        raw: { name: '%D0%9E%2F' },
        decoded: { name: 'О/' },
        deviations: ['lower-case hex'],
      },
      { step: 'locate', uri: 'docs://catalog/%D0%9E%2F', found: true },
    ]
    const key = { server: 'kb', kind: 'resource', name: 'docs://catalog/{name}' } as const
    await log.append({
      type: 'read',
      call: 'r-1',
      key,
      uri: 'docs://catalog/%D0%9E%2F',
      trace,
      revision: '7',
    })
    expect(await collect(log, { key })).toMatchObject([{ type: 'read', call: 'r-1', trace, revision: '7' }])
  })

  it('keeps hidden characters and terminal escapes as they came, escaped so that no terminal obeys them', async () => {
    const store = memoryStore()
    const log = createDecisionLog({ store })
    const message = 'ok \u001b[2J\u001b]0;title\u0007 \u202e \u{e0041} \u200b \u009b31m'
    await log.append(outcome('a', { outcome: 'tool-error', message }))
    expect(await collect(log, { type: 'outcome' })).toMatchObject([{ message }])
    for await (const batch of store.read(log.tree as string))
      for (const line of batch.lines) expect(Buffer.from(line).toString()).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  })
})
