import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createOutbox, emptied, put } from './outbox.ts'
import { isSuspicious, type Look, lookAt } from './suspicion.ts'
import { writeJson } from './write-json.ts'

const outbox = createOutbox()

/** What is found in JSON, wherever it stands and whatever stands on both sides of it. */
function look(json: string): Look {
  const looks = ['', '"pas', 'é'].map((before) => {
    emptied(outbox)
    put(outbox, before)
    const start = outbox.used
    put(outbox, json)
    const end = outbox.used
    put(outbox, before)
    return lookAt(outbox.bytes, start, end)
  })
  for (const other of looks) expect(other).toEqual(looks[0])
  return looks[0] as Look
}

const marked = (json: string): boolean => look(json).marked

/** As it stands in JSON; the quotation marks of the examples are those of JSON itself. */
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')

/** Whether something is told at first sight, while a value is written. */
function sighted(value: unknown): boolean {
  emptied(outbox)
  outbox.sighted = 0
  return !writeJson(outbox, value, 'given') || outbox.sighted !== 0
}

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
  ...['key', 'sig', 'signature', 'auth', 'hmac', 'otp', 'pin', 'pw', 'sid', 'session', 'code'].flatMap(
    (name) => [`${name}=`, `${name}%3d`],
  ),
  ...[
    ' -p',
    '"-p',
    '(-p',
    '~-u',
    '\n-p',
    '\t-u',
    '\r-p',
    '\f-u',
    '\b-p',
    '\v-p',
    '\u001f-u',
    '\u001a-p',
    '\ud8ab-p',
    '=-u',
    ' -u',
    '--user',
    '%3a%2f%2f',
  ],
]

describe('a quick look at JSON', () => {
  it('marks every text that is suspicious, wherever that stands in it', () => {
    for (const example of examples)
      for (const text of [example, example.toUpperCase()])
        for (const around of ['', '"', ' x', 'é', '{"0":'])
          expect(
            [
              isSuspicious(inJson(text)),
              marked(around + inJson(text) + around),
              sighted({ a: [around + text] }),
            ],
            around + text,
          ).toEqual([true, true, true])
    const pieces = examples.flatMap((example) => [example, example.slice(0, 3), example.slice(2)])
    const piece = fc.oneof(
      fc.constantFrom(...pieces, '"', ':', '/', '@', 'é', '\ufffd'),
      fc.string({ unit: 'binary', maxLength: 3 }),
    )
    const text = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, fc.boolean(), (parts, upper) => {
        const json = JSON.stringify(upper ? parts.toUpperCase() : parts)
        if (!isSuspicious(json)) return
        expect(marked(json), json).toBe(true)
        expect(sighted({ [parts]: upper ? parts.toUpperCase() : parts }), json).toBe(true)
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

  it('sights nothing in an ordinary record', () => {
    for (const record of [
      { type: 'decision', call: 'c-1', key: { server: 'shop', kind: 'tool', name: 'search' } },
      { flat: 'shop__search', pin: { state: 'approved', digest: '9d1b5d3a7c1f4e5d8a6b0c2e4f607182' } },
      { outcome: 'success', durationMs: 41.7, connection: { generation: 1 }, result: null },
    ])
      expect(sighted(record), JSON.stringify(record)).toBe(false)
  })

  it('calls plain what is printable ASCII throughout', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const json = JSON.stringify(text)
        const plain = /^[\x20-\x7e]*$/.test(json)
        expect(look(json).plain).toBe(plain)
        if (!plain) expect(sighted([text])).toBe(true)
      }),
    )
  })
})
