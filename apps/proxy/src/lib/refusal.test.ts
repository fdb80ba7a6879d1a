import { DecisionLogError } from '@truename/decision-log'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { failedInside } from './refusal.ts'

describe('what a client is told of something that was thrown', () => {
  it('repeats nothing of the message, whatever was thrown, and says when it was the log', () => {
    const codes = ['write-failed', 'log-closed', 'record-too-large', 'bad-record'] as const
    const secret = fc.string({ minLength: 8, maxLength: 40 }).map((text) => `Zq9x${text}`)
    fc.assert(
      fc.property(secret, fc.constantFrom(...codes), (known, code) => {
        const ofLog = failedInside(new DecisionLogError(code, known, { known }, new Error(known)))
        expect(ofLog).toMatchObject({ error: { code: -32000, data: { reason: 'log' } } })
        for (const thrown of [ofLog, new Error(known), { code: known, message: known }, known, null])
          expect(JSON.stringify(failedInside(thrown))).not.toContain('Zq9x')
        expect(JSON.stringify(ofLog)).not.toContain('Zq9x')
        expect(failedInside(new Error(known))).toMatchObject({ error: { code: -32603 } })
      }),
    )
  })
})
