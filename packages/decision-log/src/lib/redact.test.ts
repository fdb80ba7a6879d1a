import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from './json.ts'
import { createRedactor, pointerTokens, redactPointer, secretKeys } from './redact.ts'
import { secretTexts } from './secret-texts.ts'

const redactor = createRedactor({
  keys: [secretKeys],
  texts: secretTexts,
  secrets: ['hunter2-correct-horse'],
})

describe('redaction by the name of a member', () => {
  it.each([
    'password',
    'dbPassword',
    'PASSWORD',
    'passphrase',
    'api_key',
    'apiKey',
    'X-Api-Key',
    'accessToken',
    'token',
    'client_secret',
    'Authorization',
    'Set-Cookie',
    'credentials',
    'sessionId',
    'privateKey',
    'auth',
    'otp',
    'pass',
    'db_pass',
    'dbPass',
    'jwt',
    'userJwt',
    'signingKey',
  ])('takes out the value of %s, whatever its type', (name) => {
    for (const value of ['plain', 1234, { inner: 'plain' }, ['plain']]) {
      expect(redactor.value({ deep: [{ [name]: value }] })).toEqual({ deep: [{ [name]: '[redacted]' }] })
    }
    expect(redactor.suspects(JSON.stringify({ [name]: 'plain' }))).toBe(true)
  })

  it('takes texts out of what is called tokens, and leaves counts', () => {
    for (const name of ['tokens', 'auth_tokens', 'accessTokens', 'maxTokens']) {
      expect(redactor.value({ [name]: 12 })).toEqual({ [name]: 12 })
      expect(redactor.value({ [name]: ['plain', 'other', 1] })).toEqual({
        [name]: ['[redacted]', '[redacted]', 1],
      })
      expect(redactor.value({ [name]: { input: 1, ana: 'plain' } })).toEqual({
        [name]: { input: 1, ana: '[redacted]' },
      })
      expect(redactor.value({ [name]: 'plain' })).toEqual({ [name]: '[redacted]' })
      expect(redactor.suspects(JSON.stringify({ [name]: 'plain' }))).toBe(true)
    }
  })

  it.each([
    'monkey',
    'author',
    'key',
    'name',
    'passage',
    'compass',
    'bypass',
    'passed',
    'pin',
    'description',
  ])('keeps the value of %s', (name) => {
    expect(redactor.value({ [name]: 'plain' })).toEqual({ [name]: 'plain' })
  })

  it('takes out what stands behind an option in a list of arguments', () => {
    const value = {
      args: ['--page', '2', '--password', 'two words', 'login', '-u', 'ana', '-p', 'plain', '-x'],
      more: ['--token', 5, '-p', '8080:80', '--header', 'X-Api-Key: Zq9x', '--secret', '--on'],
    }
    expect(redactor.value(value)).toEqual({
      args: ['--page', '2', '--password', '[redacted]', 'login', '-u', 'ana', '-p', '[redacted]', '-x'],
      more: ['--token', 5, '-p', '8080:80', '--header', 'X-Api-Key: [redacted]', '--secret', '--on'],
    })
    expect(redactor.suspects(JSON.stringify(value))).toBe(true)
    expect(redactor.suspects(JSON.stringify(['-u', 'ana', '-p', 'plain']))).toBe(true)
  })

  it('never takes the quick look for granted where there is something to take out', () => {
    const word = fc.constantFrom(
      'pass',
      'word',
      'token',
      'Bearer ',
      'basic',
      '://',
      'a@b',
      ':',
      '=',
      'secret',
      'sk-',
      'eyJ',
      '.',
      'Key',
      'api',
      '_',
      'private',
      ' ',
      'x'.repeat(20),
      'auth',
      'otp',
      'ghp_',
      'AKIA',
      'A'.repeat(16),
      '"',
      '\\',
      '\n',
      'http',
      'session',
      'id',
      'hunter2-correct-horse',
      '--',
      'jwt',
      'cookie',
      '=a',
      ';',
      'https',
      'sk_live_',
      'hf_',
      'shpat_',
      'dop_v1_',
      'pypi-',
      's',
      'db',
      '-p',
      '-u',
      '--user',
      'key',
      '?',
      '&',
      '%3d',
      '%3A%2F%2F',
      '%40',
      'Zq9xK2mP7',
      'is',
      'code',
      'sig',
      'login',
      'mysql ',
      'sshpass',
      ...['\t', '\r', '\v', '\f', '\u001b', '(', '~', '\\n', '\\\\t'],
      ...['-p', '-u', '-pZq9x', '-u ana:Zq9x', '--user', '-p Zq9xK2mP7', 'ana:Zq9x', 'Basic Zq9xK2mP7'],
    )
    const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(''))
    const value = fc.letrec<{ json: Json }>((tie) => ({
      json: fc.oneof(
        text,
        fc.integer(),
        fc.array(tie('json'), { maxLength: 3 }),
        fc.dictionary(text, tie('json'), { maxKeys: 3 }),
      ) as fc.Arbitrary<Json>,
    })).json
    fc.assert(
      fc.property(value, (json) => {
        const before = JSON.stringify(json)
        const after = JSON.stringify(redactor.value(json))
        if (before !== after) expect(redactor.suspects(before)).toBe(true)
        // What is clean stays clean: redacting again changes nothing that matters.
        expect(JSON.stringify(redactor.value(JSON.parse(after) as Json))).not.toContain('hunter2')
      }),
      { numRuns: 2000 },
    )
  })
})

describe('JSON Pointers', () => {
  it('reach members and items, escapes included (RFC 6901)', () => {
    const value = { a: [{ b: 1 }, { b: 2 }], 'x/y': { 'm~n': 'z' }, '': 0 }
    const at = (pointer: string) => redactPointer(value, pointerTokens(pointer) ?? ['never'])
    expect(at('/a/1/b')).toEqual({ ...value, a: [{ b: 1 }, { b: '[redacted]' }] })
    expect(at('/x~1y/m~0n')).toEqual({ ...value, 'x/y': { 'm~n': '[redacted]' } })
    expect(at('/')).toEqual({ ...value, '': '[redacted]' })
    expect(at('')).toBe('[redacted]')
  })

  it('change nothing where they lead nowhere', () => {
    const value = { a: [1], b: 'text' }
    for (const pointer of ['/c', '/a/1', '/a/01', '/a/-', '/b/0', '/__proto__', '/constructor/name'])
      expect(redactPointer(value, pointerTokens(pointer) as string[]), pointer).toEqual(value)
    expect(pointerTokens('a')).toBeUndefined()
    expect(pointerTokens('/a~2')).toBeUndefined()
  })
})
