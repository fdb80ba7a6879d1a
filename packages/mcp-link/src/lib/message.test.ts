import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isRequestId, readMessage } from './message.ts'

const v = { jsonrpc: '2.0' }

describe('reading a message', () => {
  it('has a reading for any JSON value, and never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => void expect(readMessage(value).kind).toBeTypeOf('string')),
    )
  })
  it('tells requests, notifications, results and errors apart', () => {
    expect(readMessage({ ...v, id: 'a', method: 'm' })).toEqual({
      kind: 'request',
      id: 'a',
      method: 'm',
      params: {},
    })
    expect(readMessage({ ...v, method: 'm', params: { x: 1 } })).toEqual({
      kind: 'notification',
      method: 'm',
      params: { x: 1 },
    })
    expect(readMessage({ ...v, id: 0, result: { a: 1 }, extra: 1 })).toEqual({
      kind: 'result',
      id: 0,
      value: { a: 1 },
    })
    expect(readMessage({ ...v, id: 1, error: { code: -1, message: 'm', data: null, more: 2 } })).toEqual({
      kind: 'error',
      id: 1,
      error: { code: -1, message: 'm', data: null, more: 2 },
    })
  })
  it('reads an error without an id, and an error without a message', () => {
    expect(readMessage({ ...v, id: null, error: { code: -32600 } })).toEqual({
      kind: 'error',
      id: undefined,
      error: { code: -32600, message: '' },
    })
  })
  it('refuses ids that parsing has already rounded, and takes those that it has not', () => {
    expect(isRequestId(Number.MAX_SAFE_INTEGER)).toBe(true)
    for (const id of ['9007199254740993', '1.5', 'true', 'null', '[]', '{}']) {
      const value: unknown = JSON.parse(`{"jsonrpc":"2.0","id":${id},"method":"m"}`)
      expect(readMessage(value)).toMatchObject({ kind: 'bad-request', id: undefined })
    }
  })
  it('keeps an answer that is not legal with its request', () => {
    for (const bad of [
      { result: [] },
      { result: 1 },
      { error: 'x' },
      { error: { code: '1' } },
      { result: {}, error: { code: 1 } },
      {},
    ]) {
      expect(readMessage({ ...v, id: 3, ...bad })).toMatchObject({ kind: 'bad-answer', id: 3 })
    }
  })
  it('does not take inherited members for the sender’s', () => {
    expect(readMessage(JSON.parse('{"jsonrpc":"2.0","id":1,"__proto__":{"result":{}}}'))).toMatchObject({
      kind: 'bad-answer',
    })
  })
})
