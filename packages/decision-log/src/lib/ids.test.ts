import { describe, expect, it } from 'vitest'
import { createTreeNames, isTreeName, putUuidv7, treeStarted, uuidv7 } from './ids.ts'
import { createOutbox, put } from './outbox.ts'

describe('the names of trees', () => {
  it('sort by time, and in one millisecond by the order one writer made them', () => {
    const name = createTreeNames()
    const times = [1, 1, 1, 2, 2, 1000, 86_400_000]
    const names = times.map((time) => name(Date.UTC(2026, 10, 29) + time))
    expect(names.toSorted()).toEqual(names)
    expect(names.map((each) => treeStarted(each))).toEqual(times.map((time) => Date.UTC(2026, 10, 29) + time))
    expect(names.every(isTreeName)).toBe(true)
  })

  it('are not the same for two writers', () => {
    expect(new Set(Array.from({ length: 1000 }, () => createTreeNames()(0))).size).toBe(1000)
  })

  it('never lead out of a folder', () => {
    for (const name of [
      '..',
      '../../etc/passwd',
      '',
      'a/b',
      '20261129T225501123Z-zz',
      `${createTreeNames()(0)}/x`,
    ])
      expect(isTreeName(name), name).toBe(false)
  })
})

describe('ids', () => {
  it('are version 7 UUIDs (RFC 9562) that begin with their time, and never twice the same', () => {
    const time = 0x0190_1234_5678
    const ids = Array.from({ length: 5000 }, () => uuidv7(time))
    for (const id of ids) expect(id).toMatch(/^01901234-5678-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('are written as they are told', () => {
    const outbox = createOutbox()
    let expected = 'é'
    put(outbox, expected)
    for (let time = 0; time < 2000; time += 1) expected += putUuidv7(outbox, 1_764_520_000_000 + (time >> 2))
    expect(Buffer.from(outbox.bytes.subarray(0, outbox.used)).toString()).toBe(expected)
    expect(expected).toMatch(/^é([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}){2000}$/)
  })
})
