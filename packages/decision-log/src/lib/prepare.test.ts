import { createHash, createHmac } from 'node:crypto'
import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from './json.ts'
import { createDecisionLog } from './log.ts'
import { memoryStore } from './memory-store.ts'
import { sha256 } from './merkle.ts'
import { digestValue, escapeHidden, type KeepMode, type KeepOptions } from './prepare.ts'
import { decision, outcome, shop } from './testing/entries.ts'
import { collect } from './testing/store-contract.ts'

const secrets = {
  password: 'correct-horse-battery',
  bearer: 'mF_9.B5f-4.1JqM',
  github: 'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
  model: 'sk-proj-0123456789abcdefghij',
  jwt: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U',
  database: 'pa55-in-the-url',
  configured: 'value-of-SHOP_TOKEN',
}

/** A call in which a secret stands wherever one can. */
const planted = [
  decision('c', {
    arguments: { password: secrets.password, note: `Bearer ${secrets.bearer}`, list: [secrets.github] },
    key: { ...shop, name: `https://shop.example/?token=${secrets.password}` },
    reason: `header was Authorization: Bearer ${secrets.bearer}`,
    caller: { profile: 'default', claims: { name: 'client', apiKey: secrets.model } },
    detail: {
      headers: { Authorization: `Bearer ${secrets.bearer}`, Cookie: secrets.password },
      env: { SHOP: secrets.configured, url: `postgres://app:${secrets.database}@db/app` },
      [secrets.github]: true,
    },
  }),
  outcome('c', {
    outcome: 'protocol-error',
    message: `401 for ${secrets.jwt} and ${secrets.configured}`,
    denial: `no access with ${secrets.github}`,
    result: {
      content: [{ type: 'text', text: `your new key is ${secrets.model}` }],
      secret: secrets.password,
    },
  }),
]

async function written(keep: KeepOptions | undefined, entries = planted): Promise<string> {
  const store = memoryStore()
  const log = createDecisionLog({ store, keep })
  for (const entry of entries) await log.append(entry)
  const [tree = ''] = await store.trees()
  let text = ''
  for await (const batch of store.read(tree)) for (const line of batch.lines) text += `${Buffer.from(line)}\n`
  expect((await log.verify()).ok).toBe(true)
  return text
}

const keptBy = async (keep: KeepOptions, value: Json) => {
  const log = createDecisionLog({ store: memoryStore(), keep })
  await log.append(decision('c', { arguments: value }))
  const [record] = await collect(log, { type: 'decision' })
  return record && 'arguments' in record ? record.arguments : undefined
}

describe('what is kept of a call', () => {
  it('holds none of the planted secrets, by default and when values are kept redacted', async () => {
    for (const keep of [undefined, { arguments: 'redacted', results: 'redacted' }] as const) {
      const text = await written({ ...keep, secrets: [secrets.configured] })
      for (const [name, secret] of Object.entries(secrets)) expect(text.includes(secret), name).toBe(false)
    }
  })

  it('holds them where values are asked for in clear, so that the test above can fail', async () => {
    const text = await written({ arguments: 'clear', results: 'clear', keys: [], texts: [] })
    for (const [name, secret] of Object.entries(secrets)) expect(text.includes(secret), name).toBe(true)
  })

  it('holds no value that is known to be secret, even in clear', async () => {
    const text = await written({ arguments: 'clear', results: 'clear', secrets: Object.values(secrets) })
    for (const [name, secret] of Object.entries(secrets)) expect(text.includes(secret), name).toBe(false)
  })

  it('is a digest alone by default: SHA-256 of the RFC 8785 form, in hexadecimal', async () => {
    const value = { b: 1, a: ['x', 1.0, null] }
    const expected = createHash('sha256').update('{"a":["x",1,null],"b":1}').digest('hex')
    expect(await keptBy({}, value)).toEqual({ digest: `sha256:${expected}` })
    expect(await keptBy({}, { a: ['x', 1, null], b: 1 })).toEqual({ digest: `sha256:${expected}` })
  })

  it('can be digested with a key, so that short values cannot be guessed', async () => {
    const digestKey = new Uint8Array(32).fill(7)
    const value = { pin: 1234 }
    const expected = createHmac('sha256', digestKey)
      .update(canonicalize(value) as string)
      .digest('hex')
    expect(await keptBy({ digestKey }, value)).toEqual({ digest: `hmac-sha256:${expected}` })
  })

  it('can carry the digest that approvals are bound to', async () => {
    expect(await keptBy({ digest: () => 'own:1' }, {})).toEqual({ digest: 'own:1' })
  })

  it('has a digest for lone surrogates too, which RFC 8785 has no form for', () => {
    const digests = ['\ud800', '\ud801', '\udc00\ud800', '\ufffd'].map((text) =>
      digestValue({ text }, sha256),
    )
    expect(new Set(digests).size).toBe(4)
    expect(digests[0]).toMatch(/^sha256-json:[0-9a-f]{64}$/)
    expect(digests[3]).toMatch(/^sha256:[0-9a-f]{64}$/)
  })

  it('takes out what JSON Pointers and key patterns name', async () => {
    const keep: KeepOptions = { arguments: 'redacted', pointers: ['/user/name', '/rows/1'], keys: [/^iban$/] }
    const value = { user: { name: 'Ada', city: 'London' }, rows: [1, 2], IBAN: 'kept', iban: 'gone' }
    expect(await keptBy(keep, value)).toMatchObject({
      value: {
        user: { name: '[redacted]', city: 'London' },
        rows: [1, '[redacted]'],
        IBAN: 'kept',
        iban: '[redacted]',
      },
    })
    expect(() => createDecisionLog({ store: memoryStore(), keep: { pointers: ['user'] } })).toThrow(
      expect.objectContaining({ code: 'bad-option' }),
    )
  })

  it('is what a `toJSON` gives, looked at like any other value', async () => {
    const value = {
      t: { toJSON: () => ({ password: 'hunter2', note: 'Bearer Zq9xK2mP7', page: 2 }) },
      at: new Date(0),
      url: new URL('https://ana:Zq9x@host.example/x'),
      list: [{ toJSON: () => 'value-of-SHOP_TOKEN' }],
    }
    const shown = {
      t: { password: '[redacted]', note: 'Bearer [redacted]', page: 2 },
      at: '1970-01-01T00:00:00.000Z',
      url: 'https://ana:[redacted]@host.example/x',
      list: ['[redacted]'],
    }
    const known = [secrets.configured]
    expect(await keptBy({ arguments: 'redacted', secrets: known }, value as never)).toMatchObject({
      value: shown,
    })
    const pointed = { arguments: 'redacted', secrets: known, pointers: ['/t/page'] } as const
    expect(await keptBy(pointed, value as never)).toMatchObject({ value: { t: { page: '[redacted]' } } })
    expect(await keptBy({ arguments: 'clear', secrets: known }, value as never)).toMatchObject({
      value: { t: { password: 'hunter2' }, at: shown.at, list: shown.list },
    })
  })

  it('is the same for a value as for what its JSON says', async () => {
    const name = fc.constantFrom('a', 'password', 'note', '__proto__', 'tokens')
    const text = fc.constantFrom(
      'plain',
      'Bearer Zq9xK2mP7',
      'value-of-SHOP_TOKEN',
      '\u200b',
      '\n-u ana:Zq9x',
    )
    const json = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        text,
        fc.integer(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(name, tie('value'), { maxKeys: 3 }),
        fc.dictionary(name, text, { maxKeys: 3 }).map((inner) => ({ toJSON: () => inner })),
      ),
    })).value
    const modes = fc.constantFrom<KeepMode[]>('redacted', 'clear')
    await fc.assert(
      fc.asyncProperty(json, modes, async (value, mode) => {
        const keep = { arguments: mode, secrets: [secrets.configured] }
        const plain = JSON.parse(JSON.stringify(value)) as Json
        expect(await keptBy(keep, value as Json)).toEqual(await keptBy(keep, plain))
      }),
      { numRuns: 300 },
    )
  })

  it('leaves out a value that is too long, and says how long it was', async () => {
    const value = { text: 'é'.repeat(50) }
    const length = Buffer.byteLength(JSON.stringify(value))
    expect(await keptBy({ arguments: 'clear', maxValueBytes: length }, value)).toMatchObject({ value })
    const left = await keptBy({ arguments: 'clear', maxValueBytes: length - 1 }, value)
    expect(left).toEqual({ digest: expect.any(String), omittedBytes: length })
  })

  it('shows every character that is invisible, controls or turns the text, and keeps it letter for letter', () => {
    const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u
    const visible = (text: string): string => text.replaceAll(new RegExp(invisible, 'gu'), '')
    for (let first = 0; first <= 0x10ffff; first += 1024) {
      if (first >= 0xd800 && first < 0xe000) continue
      const text = String.fromCodePoint(...Array.from({ length: 1024 }, (_, at) => first + at))
      const escaped = escapeHidden(JSON.stringify(text))
      expect(escaped).not.toMatch(invisible)
      expect(JSON.parse(escaped) === text).toBe(true)
      if (first > 0) expect(escaped.replaceAll(/\\u[0-9a-f]{4}/g, '')).toBe(`"${visible(text)}"`)
    }
    for (const shown of '\ufe0f\u{e0100}\u3164\u115f\uffa0\u034f\u180b\u2065')
      expect(escapeHidden(`"${shown}"`)).toMatch(/^"(?:\\u[0-9a-f]{4})+"$/)
  })

  it('cuts a text that a server made endless, and says so', async () => {
    const log = createDecisionLog({ store: memoryStore(), keep: { maxTextLength: 10 } })
    await log.append(outcome('c', { message: 'x'.repeat(25) }))
    const [record] = await collect(log, { type: 'outcome' })
    expect(record).toMatchObject({ message: `${'x'.repeat(10)}… [15 more characters]` })
  })
})
