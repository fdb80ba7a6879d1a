import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EncodeError } from './encode-error.ts'
import { expandTemplate } from './expand-template.ts'
import { pathToFileUri } from './file-uri.ts'
import {
  decodeName,
  decodePath,
  decodeQueryValue,
  encodeName,
  encodePath,
  encodeQueryValue,
} from './identifier.ts'

/** Names that are not what they look like: each must come back letter for letter. */
const corpus = [
  'Отчёт май/июнь',
  'a b',
  'a+b',
  '100%',
  'Отчёт',
  '季度报告/2025 Q1 财务.pdf',
  '👩‍👩‍👧‍👦',
  'e\u0301',
  'é',
  'a/b',
  'a\\b',
  'what?',
  'C#',
  '..',
  '.',
  '',
  '%2F',
  '%252F',
  'long '.repeat(5_000),
  "!'()*",
  '\t\r\n\0',
  '\ufeff',
  '__proto__',
]

const wellFormed = fc.string({ unit: 'binary' })

describe('a name', () => {
  it('is one segment of its URI, and reads back letter for letter', () => {
    const uri = expandTemplate('docs://catalog/{name}', { name: 'Отчёт май/июнь' })
    expect(uri).toBe(
      'docs://catalog/%D0%9E%D1%82%D1%87%D1%91%D1%82%20%D0%BC%D0%B0%D0%B9%2F%D0%B8%D1%8E%D0%BD%D1%8C',
    )
    expect(uri.slice('docs://catalog'.length).split('/')).toHaveLength(2)
    expect(decodeName(uri.slice(uri.lastIndexOf('/') + 1))).toEqual({ ok: true, value: 'Отчёт май/июнь' })
  })

  it('is written by RFC 3986: %20 for a space, %2F for a slash, %2B for a plus', () => {
    expect(expandTemplate('docs://catalog/{name}', { name: 'Отчёт май' })).toBe(
      'docs://catalog/%D0%9E%D1%82%D1%87%D1%91%D1%82%20%D0%BC%D0%B0%D0%B9',
    )
    expect(encodeName('a b/c+d')).toBe('a%20b%2Fc%2Bd')
    expect(decodeName('a+b')).toEqual({ ok: true, value: 'a+b' })
  })

  it('that holds an escape stays another name than the one the escape stands for', () => {
    expect(encodeName('%2F')).toBe('%252F')
    expect(decodeName(encodeName('%2F'))).toEqual({ ok: true, value: '%2F' })
    expect(encodeName('%2F')).not.toBe(encodeName('/'))
  })

  it.each(corpus)('reads back letter for letter, in every form (%j)', (name) => {
    expect(encodeName(name)).toMatch(/^[A-Za-z0-9._~%-]*$/)
    expect(decodeName(encodeName(name))).toEqual({ ok: true, value: name })
    expect(decodePath(encodePath([name, name]))).toEqual({ ok: true, value: [name, name] })
    for (const form of [true, false])
      expect(decodeQueryValue(encodeQueryValue(name, { form }), { form })).toEqual({ ok: true, value: name })
  })

  it('reads back whatever it is, and no two names share a segment', () => {
    fc.assert(
      fc.property(wellFormed, wellFormed, (a, b) => {
        expect(decodeName(encodeName(a))).toEqual({ ok: true, value: a })
        expect(encodeName(a) === encodeName(b)).toBe(a === b)
      }),
    )
  })

  it('with half of a surrogate pair is refused, with the place', () => {
    for (const encode of [encodeName, (text: string) => encodePath(['x', text]), encodeQueryValue]) {
      let error: EncodeError | undefined
      try {
        encode('ab😀\ud83dc')
      } catch (thrown) {
        error = thrown as EncodeError
      }
      expect(error).toMatchObject({ code: 'lone-surrogate', source: 'ab😀\ud83dc', index: 4 })
    }
  })
})

describe('text that is too long', () => {
  const refusal = (encode: () => string): unknown => {
    try {
      encode()
    } catch (error) {
      return (error as EncodeError).code
    }
    return undefined
  }

  it('is refused as that by every encoder, whatever is in it', () => {
    const most = 2 ** 25
    expect(encodeName('a'.repeat(most))).toHaveLength(most)
    for (const character of ['a', ' ', "'", '季']) {
      const text = character.repeat(most + 1)
      for (const encode of [encodeName, encodePath, encodeQueryValue])
        expect(refusal(() => encode(text))).toBe('too-long')
      expect(refusal(() => encodeQueryValue(text, { form: true }))).toBe('too-long')
      expect(refusal(() => pathToFileUri(`/${text}`, { platform: 'posix' }))).toBe('too-long')
      expect(refusal(() => expandTemplate('{v}', { v: text }))).toBe('too-long')
    }
    const half = 'a'.repeat(most / 2)
    expect(refusal(() => encodePath([half, half, half]))).toBe('too-long')
    expect(encodePath([])).toBe('')
    expect(encodePath(['', ''])).toBe('/')
  })
})

describe('decoding', () => {
  it('happens once', () => {
    expect(decodeName('Jour%20f%C3%A9ri%C3%A9')).toEqual({ ok: true, value: 'Jour férié' })
    expect(decodeName('x%2Fy')).toEqual({ ok: true, value: 'x/y' })
    expect(decodeName('a%2520b')).toEqual({ ok: true, value: 'a%20b' })
    expect(decodeName('%2525')).toEqual({ ok: true, value: '%25' })
  })

  it('gives what is wrong and where, never a substitute and never an exception', () => {
    const failures = {
      '100%': ['bad-escape', 3],
      'a%2': ['bad-escape', 1],
      'é%zz': ['bad-escape', 1],
      '%41%G1': ['bad-escape', 3],
      'x%C3%28': ['bad-utf8', 1],
      '%C3': ['bad-utf8', 0],
      '%80': ['bad-utf8', 0],
      '%C0%80': ['bad-utf8', 0],
      '%ED%A0%80': ['bad-utf8', 0],
      '%F4%90%80%80': ['bad-utf8', 0],
      '%F0%9F%98': ['bad-utf8', 0],
      'ok%D0%9E%D0': ['bad-utf8', 8],
      '%FF%FE': ['bad-utf8', 0],
      'a\ud83d': ['bad-utf8', 1],
      '%41\ud83d%zz': ['bad-utf8', 3],
      '%zz\ud83d': ['bad-escape', 0],
    } as const
    for (const [text, [code, index]] of Object.entries(failures))
      expect([text, decodeName(text)]).toEqual([text, { ok: false, code, index }])
  })

  it('agrees with a strict UTF-8 decoder on any octets', () => {
    const octets = fc.uint8Array({ maxLength: 8 })
    const likely = fc.array(
      fc.constantFrom(0x41, 0x80, 0xbf, 0xc3, 0xe0, 0xa0, 0xed, 0xf0, 0x90, 0xf4, 0x8f),
      { maxLength: 8 },
    )
    fc.assert(
      fc.property(fc.oneof(octets, likely), (octets) => {
        const segment = Array.from(octets, (octet) => `%${octet.toString(16).padStart(2, '0')}`).join('')
        let expected: string | undefined
        try {
          expected = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
            Uint8Array.from(octets),
          )
        } catch {
          expected = undefined
        }
        const decoded = decodeName(segment)
        if (expected !== undefined) expect(decoded).toEqual({ ok: true, value: expected })
        else expect(decoded).toMatchObject({ ok: false, code: 'bad-utf8' })
      }),
      { numRuns: 500 },
    )
  })

  it('answers for any text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('%', '2', 'F', 'C', '3', 'é', '\ud83d', '+') }),
        (text) => {
          const decoded = decodeName(text)
          if (!decoded.ok) expect(decoded.index).toBeLessThan(text.length)
        },
      ),
    )
  })
})

describe('a path', () => {
  it('given as text separates at its slashes; in a list a slash within a segment is data', () => {
    expect(encodePath('季度报告/2025 Q1.pdf')).toBe('%E5%AD%A3%E5%BA%A6%E6%8A%A5%E5%91%8A/2025%20Q1.pdf')
    expect(encodePath(['a/b', 'c'])).toBe('a%2Fb/c')
  })

  it('is cut before it is decoded', () => {
    expect(decodePath('a%2Fb/c%20d')).toEqual({ ok: true, value: ['a/b', 'c d'] })
    expect(decodePath('/a//')).toEqual({ ok: true, value: ['', 'a', '', ''] })
  })

  it('tells where in the whole text a segment cannot be decoded', () => {
    expect(decodePath('ab/%41/c%zz')).toEqual({ ok: false, code: 'bad-escape', index: 8 })
  })
})

describe('a query value', () => {
  it('takes "+" for a space only where the caller says it is form-encoded', () => {
    expect(encodeQueryValue('a b+c')).toBe('a%20b%2Bc')
    expect(encodeQueryValue('a b+c', { form: true })).toBe('a+b%2Bc')
    expect(decodeQueryValue('a+b%2Bc')).toEqual({ ok: true, value: 'a+b+c' })
    expect(decodeQueryValue('a+b%2Bc', { form: true })).toEqual({ ok: true, value: 'a b+c' })
  })

  it('is read by form decoders as it was meant', () => {
    fc.assert(
      fc.property(wellFormed, (value) => {
        expect(new URLSearchParams(`v=${encodeQueryValue(value, { form: true })}`).get('v')).toBe(value)
        expect(new URLSearchParams(`v=${encodeQueryValue(value)}`).get('v')).toBe(value)
      }),
    )
  })
})
