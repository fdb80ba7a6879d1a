import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createDecisionLog } from './log.ts'
import { memoryStore } from './memory-store.ts'
import { recordJsonSchema, recordSchema } from './record-schema.ts'
import { everyType } from './testing/entries.ts'
import { collect } from './testing/store-contract.ts'

const published = join(import.meta.dirname, '../../../../docs/truename.decision-record.schema.json')

const records = async () => {
  const log = createDecisionLog({ store: memoryStore(), keep: { arguments: 'clear', results: 'redacted' } })
  for (const entry of everyType) await log.append(entry)
  return collect(log)
}

describe('the record schema', () => {
  it('holds of every type of record that is written', async () => {
    const all = await records()
    expect(new Set(all.map(({ type }) => type)).size).toBe(8)
    for (const record of all) expect(recordSchema.safeParse(record).error?.issues ?? []).toEqual([])
  })

  it('keeps members it does not know, and refuses records that lack what they must have', async () => {
    for (const record of await records()) {
      expect(recordSchema.parse({ ...record, later: 1 })).toEqual({ ...record, later: 1 })
      for (const member of ['index', 'tree', 'time', 'id', 'hash', 'type', 'schema'] as const)
        expect(recordSchema.safeParse({ ...record, [member]: undefined }).success, member).toBe(false)
    }
    const [, decision] = await records()
    expect(recordSchema.safeParse({ ...decision, verdict: 'maybe' }).success).toBe(false)
    expect(recordSchema.safeParse({ ...decision, type: 'unheard-of' }).success).toBe(false)
  })

  it('is published as it is', () => {
    const text = `${JSON.stringify(recordJsonSchema(), null, 2)}\n`
    // `UPDATE_SCHEMAS=1` writes it after a change that was meant.
    if (process.env.UPDATE_SCHEMAS === '1') writeFileSync(published, text)
    expect(JSON.parse(readFileSync(published, 'utf8'))).toEqual(JSON.parse(text))
  })
})
