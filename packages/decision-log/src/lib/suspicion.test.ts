import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSuspicious, lookAt } from './suspicion.ts'

const marked = (json: string): boolean => lookAt(Buffer.from(json)).marked

/** One text for each alternative of the expression, and for each choice within it. */
const examples = [
  ...[
    'password',
    'passwd',
    'passphrase',
    'passcode',
    'pwd',
    'secret',
    'token',
    'akey',
    'a-key',
    'a_key',
    'a key',
  ],
  ...[
    'authorization',
    'cookie',
    'credential',
    'session',
    'auth"',
    'bearer',
    'basic',
    'otp"',
    'ssn"',
    'pincode',
  ],
  ...[
    'pin-code',
    'pin_code',
    'pin code',
    'eyj',
    'ghp_',
    'gho_',
    'ghu_',
    'ghs_',
    'ghr_',
    'github_pat',
    'glpat',
  ],
  ...[
    'pass"',
    'pass=',
    '-pass ',
    'jwt',
    'xapp-',
    'sk_live_',
    'rk_test_',
    'whsec_',
    'hf_',
    'pypi-',
    'shpat_',
    'sbp_',
    'dop_v1_',
  ],
  ...['npm_', 'xox', 'sk-', 'akia', 'asia', 'aiza', 'private key', 'a://b@', '://@'],
]

describe('a quick look at JSON', () => {
  it('marks every text that is suspicious, wherever that stands in it', () => {
    for (const example of examples)
      for (const text of [example, example.toUpperCase()])
        for (const around of ['', '"', ' x', 'é', '{"0":'])
          expect([isSuspicious(text), marked(around + text + around)], around + text).toEqual([true, true])
    const pieces = examples.flatMap((example) => [example, example.slice(0, 3), example.slice(2)])
    const piece = fc.oneof(
      fc.constantFrom(...pieces, '"', ':', '/', '@', 'é', '\ufffd'),
      fc.string({ unit: 'binary', maxLength: 3 }),
    )
    const text = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, fc.boolean(), (parts, upper) => {
        const json = JSON.stringify(upper ? parts.toUpperCase() : parts)
        if (isSuspicious(json)) expect(marked(json), json).toBe(true)
      }),
      { numRuns: 5000 },
    )
  })

  it('marks little of what has nothing in it', () => {
    for (const json of [
      '{"type":"decision","call":"c-1","key":{"server":"shop","kind":"tool","name":"search"},"pin":{"state":"approved"}}',
      '"9d1b5d3a7c1f4e5d8a6b0c2e4f60718293a4b5c6d7e8f90a1b2c3d4e5f60ec2d3337"',
      '"the policy refuses every tool of this server, permission or not"',
      '"code":-32601,"outcome":"protocol-error"',
    ])
      expect(marked(json), json).toBe(false)
  })

  it('calls plain what is printable ASCII throughout', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const json = JSON.stringify(text)
        expect(lookAt(Buffer.from(json)).plain).toBe(/^[\x20-\x7e]*$/.test(json))
      }),
    )
  })
})
