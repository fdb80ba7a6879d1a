import fc from 'fast-check'
import { expect, it } from 'vitest'
import { errorAnswer, failure, safeToRetry, wasNeverHad } from './failure.ts'
import type { Json } from './json.ts'

it('a request was never had where this side says so, and nothing a peer answers says so', () => {
  const data = fc.oneof(
    fc.constant<Json>({ ...safeToRetry }),
    fc.constant<Json>({ retry: 'no' }),
    fc.jsonValue(),
  )
  fc.assert(
    fc.property(data, fc.integer(), (data, code) => {
      expect(wasNeverHad(errorAnswer(code, 'later', data as Json))).toBe(false)
      expect(wasNeverHad({ kind: 'result', value: { ...safeToRetry } })).toBe(false)
    }),
  )
  for (const kind of ['closed', 'transport', 'timeout'] as const) {
    expect(wasNeverHad(failure(kind, 'gone', safeToRetry))).toBe(true)
    expect(wasNeverHad(failure(kind, 'gone'))).toBe(false)
    expect(wasNeverHad(failure(kind, 'gone', { status: 503 }))).toBe(false)
  }
})
