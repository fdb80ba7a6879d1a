import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { honour, narrow, readFilter, unionOf, wants } from './listening.ts'

const all = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ['a'],
}

describe('what is listened for', () => {
  it('is honoured where the capability is exactly true', () => {
    expect(
      honour(all, {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
      }),
    ).toEqual(all)
    for (const value of [false, 'true', 1, null, {}, undefined]) {
      expect(
        honour(all, {
          tools: { listChanged: value },
          resources: { subscribe: value, listChanged: value },
        } as never),
      ).toEqual({})
    }
    expect(honour(all, { tools: {}, prompts: null, resources: { subscribe: true } })).toEqual({
      resourceSubscriptions: ['a'],
    })
    expect(honour({ resourceSubscriptions: [] }, { resources: { subscribe: true } })).toEqual({})
  })
  it('is read strictly, without repetitions', () => {
    expect(
      readFilter({
        toolsListChanged: true,
        promptsListChanged: 'yes',
        resourceSubscriptions: ['a', 'a', 'b'],
        more: 1,
      }),
    ).toEqual({
      toolsListChanged: true,
      resourceSubscriptions: ['a', 'b'],
    })
    for (const bad of [
      undefined,
      null,
      5,
      [],
      { resourceSubscriptions: 'a' },
      { resourceSubscriptions: [1] },
    ]) {
      expect(readFilter(bad)).toBeUndefined()
    }
    fc.assert(fc.property(fc.jsonValue(), (value) => void readFilter(value)))
  })
  it('covers a resource and what lies below it, not what merely begins alike', () => {
    const updated = (uri: unknown) =>
      wants({ resourceSubscriptions: ['x://a'] }, 'notifications/resources/updated', { uri } as never)
    expect(['x://a', 'x://a/b', 'x://a?q', 'x://a#f'].map(updated)).toEqual([true, true, true, true])
    expect(['x://ab', 'x://', 'X://a', 5, undefined].map(updated)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ])
    expect(
      wants({ resourceSubscriptions: ['x://a/'] }, 'notifications/resources/updated', { uri: 'x://a/b' }),
    ).toBe(true)
  })
  it('is no question for other notifications', () => {
    expect(wants(all, 'notifications/message', {})).toBeUndefined()
    expect(wants({}, 'notifications/tools/list_changed', {})).toBe(false)
  })
  it('joins and narrows by member and by URI', () => {
    expect(
      unionOf([
        { toolsListChanged: true },
        { resourceSubscriptions: ['a'] },
        { resourceSubscriptions: ['b', 'a'] },
      ]),
    ).toEqual({
      toolsListChanged: true,
      resourceSubscriptions: ['a', 'b'],
    })
    expect(narrow(all, { toolsListChanged: true, resourceSubscriptions: ['b'] })).toEqual({
      toolsListChanged: true,
      resourceSubscriptions: [],
    })
  })
})
