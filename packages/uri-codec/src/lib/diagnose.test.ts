import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diagnose, type Meant } from './diagnose.ts'
import { expandTemplate } from './expand-template.ts'
import { encodeName } from './identifier.ts'
import type { UriFaultCode } from './uri-finding.ts'

const report = { template: 'docs://catalog/{name}', values: { name: 'Отчёт май/июнь' } }
const right = expandTemplate(report.template, report.values)
const named = (name: string): Meant => ({ template: report.template, values: { name } })
const codes = (received: string, meant: Meant) => diagnose(received, meant).map(({ code }) => code)
const places = (received: string, meant: Meant) =>
  diagnose(received, meant).map(({ code, index }) => [code, index])

describe('diagnose', () => {
  it('finds nothing where the URI is the one that was meant', () => {
    expect(diagnose(right, report)).toEqual([])
    expect(diagnose(right, { uri: right })).toEqual([])
  })

  it('says what is wrong, where, how often, in which variable, and what should have been sent', () => {
    expect(diagnose(right.replaceAll('%20', '+'), report)).toEqual([
      {
        code: 'plus-for-space',
        message: 'a space sent as "+"; write %20 (in {name})',
        index: 45,
        count: 1,
        repaired: right,
        encoder: ['Python urllib.parse.quote_plus', 'URLSearchParams'],
      },
    ])
  })

  const mistakes: readonly (readonly [
    string,
    string,
    Meant,
    readonly (readonly [UriFaultCode, number])[],
  ])[] = [
    ['a plus for a space', 'docs://catalog/a+b+c', named('a b c'), [['plus-for-space', 16]]],
    ['an encoded plus for a space', 'docs://catalog/a%2Bb', named('a b'), [['plus-for-space', 16]]],
    ['a space for a plus', 'docs://catalog/a%20b', named('a+b'), [['plus-read-as-space', 16]]],
    ['double encoding', 'docs://catalog/%25C3%25A9', named('é'), [['double-encoding', 15]]],
    ['triple encoding', 'docs://catalog/%2525C3%2525A9', named('é'), [['double-encoding', 15]]],
    [
      'double encoding of a percent sign',
      'docs://catalog/100%2525',
      named('100%'),
      [['double-encoding', 18]],
    ],
    [
      'missing encoding',
      'docs://catalog/Отчёт',
      named('Отчёт'),
      [
        ['not-encoded', 15],
        ['decoded-early', 15],
      ],
    ],
    [
      'a raw percent sign',
      'docs://catalog/100%',
      named('100%'),
      [
        ['raw-percent', 18],
        ['decoded-early', 19],
      ],
    ],
    ['a raw slash', 'docs://catalog/%C3%A9/b', named('é/b'), [['raw-slash', 21]]],
    ['a raw question mark', 'docs://catalog/%C3%A9?b', named('é?b'), [['raw-delimiter', 21]]],
    ['the whole URI encoded', encodeURIComponent(right), report, [['whole-uri-encoded', 4]]],
    ['a lower-cased host', 'https://ex.test/A', { uri: 'https://Ex.Test/A' }, [['host-case', 8]]],
    ['a lower-cased scheme', 'kbase://Item/1', { uri: 'KBase://Item/1' }, [['scheme-case', 0]]],
    ['an added slash', 'https://ex.test/?q', { uri: 'https://ex.test?q' }, [['slash-added', 15]]],
    ['a dropped port', 'https://ex.test/p', { uri: 'https://ex.test:443/p' }, [['port-dropped', 15]]],
    ['resolved dot segments', 'demo://h/b', { uri: 'demo://h/a/../b' }, [['dots-collapsed', 8]]],
    [
      'resolved nested dot segments',
      'demo://h/d',
      { uri: 'demo://h/a/b/./../../d' },
      [['dots-collapsed', 8]],
    ],
    ['dot segments at the root', 'demo://h/d', { uri: 'demo://h/../../d' }, [['dots-collapsed', 8]]],
    ['a name that is a dot segment', 'docs://catalog/', named('..'), [['dots-collapsed', 14]]],
    ['lower-case digits', 'docs://catalog/%c3%a9', named('é'), [['hex-case', 15]]],
    ['another normalization form', 'docs://catalog/e%CC%81', named('é'), [['normalization', 15]]],
    [
      'another normalization form of Hangul',
      'docs://catalog/%ED%95%9C',
      named('한'.normalize('NFD')),
      [['normalization', 15]],
    ],
    ['half of a surrogate pair', 'docs://catalog/x%EF%BF%BD', named('x\ud83d'), [['lone-surrogate', 16]]],
    ['surrogates encoded one by one', 'docs://catalog/%ED%A0%BD%ED%B8%80', named('😀'), [['cesu-8', 15]]],
    ['another character set', 'docs://catalog/%CE%F2', named('От'), [['other-charset', 15]]],
    ['a double-byte character set', 'docs://catalog/%BC%BE', named('季'), [['other-charset', 15]]],
    ['UTF-8 taken for Latin-1', 'docs://catalog/caf%C3%83%C2%A9', named('café'), [['mojibake', 18]]],
    ['a lost character', 'docs://catalog/caf%EF%BF%BD', named('café'), [['replacement-character', 18]]],
    ['an HTML escape', 'list://g?a=1&amp;b=2', { uri: 'list://g?a=1&b=2' }, [['html-escape', 12]]],
    [
      '{+v} expanded as {v}',
      'file:///a%2Fb',
      { template: 'file:///{+path}', values: { path: 'a/b' } },
      [['operator-ignored', 9]],
    ],
    [
      '{/v} expanded as {v}',
      'file://a',
      { template: 'file://{/path}', values: { path: 'a' } },
      [['operator-ignored', 7]],
    ],
    [
      '{/v*} expanded as {/v}',
      'file:///a,b',
      { template: 'file://{/path*}', values: { path: ['a', 'b'] } },
      [['explode-ignored', 9]],
    ],
    [
      'an expression left as it is',
      'ruling://{+slug}',
      { template: 'ruling://{+slug}', values: { slug: 'a/1' } },
      [['not-expanded', 9]],
    ],
    [
      'a missing value written',
      'list://g?p=&n=5',
      { template: 'list://g{?p,n}', values: { n: 5 } },
      [['undefined-written', 9]],
    ],
    [
      'another query order',
      'list://g?n=5&p=1',
      { template: 'list://g{?p,n}', values: { n: 5, p: 1 } },
      [['query-order', 9]],
    ],
    ['a value cut at a question mark', 'docs://catalog/a', named('a?b'), [['cut-at-delimiter', 16]]],
    ['a value cut at a number sign', 'docs://catalog/C', named('C#/x'), [['cut-at-delimiter', 16]]],
    [
      'a value cut before a query',
      'docs://c/a?v=1',
      { template: 'docs://c/{name}{?v}', values: { name: 'a#b', v: 1 } },
      [['cut-at-delimiter', 10]],
    ],
    [
      'a dropped fragment',
      'docs://c/a',
      { template: 'docs://c/a{#f}', values: { f: 'x' } },
      [['fragment-dropped', 10]],
    ],
    [
      'a dropped query',
      'docs://c/a',
      { template: 'docs://c/a{?f}', values: { f: 'x' } },
      [['query-dropped', 10]],
    ],
    ['letters in another case', 'docs://catalog/readme', named('README'), [['case-changed', 15]]],
    ['a backslash turned', 'docs://catalog/a/b', named('a\\b'), [['backslash-exchanged', 16]]],
    ['a removed tab', 'docs://catalog/ab', named('a\tb'), [['control-dropped', 16]]],
    ['a needless escape', 'docs://catalog/%61b', named('ab'), [['needless-escape', 15]]],
    [
      'decoding before the segment was cut out',
      'docs://catalog/a/b c',
      named('a/b c'),
      [
        ['raw-slash', 16],
        ['not-encoded', 18],
        ['decoded-early', 16],
      ],
    ],
    [
      'decoding twice',
      'docs://catalog//',
      named('%2F'),
      [
        ['decoded-twice', 15],
        ['decoded-early', 15],
      ],
    ],
    [
      'a name with an escape decoded once too often',
      'docs://catalog/%2F',
      named('%2F'),
      [
        ['raw-percent', 15],
        ['decoded-early', 17],
      ],
    ],
    ['other text', 'zzz', report, [['different', 0]]],
  ]
  it.each(mistakes)('names %s', (_, received, meant, expected) => {
    expect(places(received, meant)).toEqual(expected)
  })

  it('repairs every mistake with the URI that was meant', () => {
    for (const [, received, meant] of mistakes)
      for (const { code, repaired } of diagnose(received, meant))
        if (code === 'lone-surrogate') expect(repaired).toBeUndefined()
        else
          expect(repaired).toBe(
            'template' in meant
              ? expandTemplate(meant.template, meant.values)
              : 'uri' in meant
                ? meant.uri
                : undefined,
          )
  })

  it('names several mistakes at once, each at its place', () => {
    const name = 'Отчёт май/июнь 100%'.normalize('NFD')
    const received = `DOCS://catalog/${encodeName(name.normalize('NFC')).replaceAll('%20', '+').replace('%2F', '/').replaceAll('%D0', '%d0')}?x`
    expect(places(received, named(name))).toEqual([
      ['scheme-case', 0],
      ['hex-case', 15],
      ['normalization', 33],
      ['plus-for-space', 45],
      ['raw-slash', 64],
      ['different', 96],
    ])
  })

  it('names mistakes inside a URI that was encoded as a whole, at their places in the received text', () => {
    expect(places(encodeURIComponent('docs://catalog/a+b'), named('a b'))).toEqual([
      ['whole-uri-encoded', 4],
      ['plus-for-space', 24],
    ])
  })

  it('says what a receiver did to a value', () => {
    const read = (received: string, value: string) => codes(received, { value })
    expect(read('Jour férié', 'Jour férié')).toEqual([])
    expect(read('Jour%20f%C3%A9ri%C3%A9', 'Jour férié')).toEqual(['not-decoded'])
    expect(read('a b', 'a%20b')).toEqual(['decoded-twice'])
    expect(read('a b', 'a+b')).toEqual(['plus-read-as-space'])
    expect(read('a+b', 'a b')).toEqual(['plus-for-space'])
    expect(read('июнь', 'май/июнь')).toEqual(['cut-after-decoding'])
    expect(read('what', 'what?')).toEqual(['cut-at-delimiter'])
    expect(read('caf\ufffd', 'café')).toEqual(['replacement-character'])
    expect(read('cafÃ©', 'café')).toEqual(['mojibake'])
    expect(read('cafe\u0301', 'café')).toEqual(['normalization'])
  })

  it('finds a combination of mistakes in any name', () => {
    const spell = {
      'plus-for-space': (uri: string) => uri.replaceAll('%20', '+'),
      'raw-slash': (uri: string) => uri.replaceAll('%2F', '/'),
      'hex-case': (uri: string) => uri.replaceAll(/%[0-9A-F]{2}/g, (triplet) => triplet.toLowerCase()),
      'scheme-case': (uri: string) => uri.replace('docs', 'Docs'),
    }
    const name = fc.string({
      unit: fc.constantFrom('a', 'é', ' ', '/', '季', '😀', '+', '~'),
      minLength: 1,
      maxLength: 20,
    })
    const chosen = fc.subarray(Object.keys(spell) as (keyof typeof spell)[], { minLength: 1 })
    fc.assert(
      fc.property(name, chosen, (name, chosen) => {
        let received = expandTemplate(report.template, { name })
        const expected = new Set<string>()
        for (const code of chosen) {
          const changed = spell[code](received)
          if (changed !== received) expected.add(code)
          received = changed
        }
        // Without a character that has to be encoded, the sent text cannot be told from the decoded one.
        const found = codes(received, named(name)).filter((code) => code !== 'decoded-early')
        expect(new Set(found)).toEqual(expected)
      }),
    )
  })

  it('takes nothing for cut where all of the name was sent, however much in it is not encoded', () => {
    const name = fc.string({
      unit: fc.constantFrom('a', 'b', 'é', 'Я', ' ', '/', '?', '#', '😀'),
      minLength: 20,
      maxLength: 60,
    })
    const template = 'docs://c/{name}{?v}'
    fc.assert(
      fc.property(name, fc.constantFrom(undefined, 1), (name, v) => {
        const meant = { template, values: { name, v } }
        const rest = v === undefined ? '' : '?v=1'
        const raw = codes(`docs://c/${name}${rest}`, meant)
        const allowed = ['raw-delimiter', 'raw-slash', 'not-encoded', 'decoded-early']
        expect(raw.filter((code) => !allowed.includes(code))).toEqual([])
        const received = `docs://c/${encodeURI(name)}${rest}`
        for (const { encoder } of diagnose(received, meant)) expect(encoder).toContain('encodeURI')
      }),
    )
  })

  it.each([
    ['x:?ab=2&a=1', 'x:?a=1&ab=2'],
    ['x:?b=2&a=1#f', 'x:?a=1&b=2#f'],
    ['x:?b=2&a=1#?b&a', 'x:?a=1&b=2#?b&a'],
    ['x:?a=1&b=2&a=3', 'x:?a=1&a=3&b=2'],
    ['x:?a=2&a=1', 'x:?a=1&a=2'],
    ['x:?c&a%3D=1&b=2', 'x:?b=2&c&a%3D=1'],
  ])('finds the parameters of %s in another order', (received, uri) => {
    expect(codes(received, { uri })).toEqual(['query-order'])
  })

  it('finds any order of parameters, whatever their names, and other mistakes beside it', () => {
    const key = fc.string({ unit: fc.constantFrom('a', 'b', '1', '季'), minLength: 1, maxLength: 4 })
    const keys = fc.uniqueArray(key, { minLength: 2, maxLength: 12 })
    fc.assert(
      fc.property(
        keys.chain((keys) =>
          fc.tuple(fc.constant(keys), fc.shuffledSubarray(keys, { minLength: keys.length })),
        ),
        fc.constantFrom('', '#f'),
        fc.boolean(),
        ([keys, shuffled], rest, lowerCase) => {
          const uri = (keys: readonly string[]): string =>
            `x:?${keys.map((key) => `${encodeName(key)}=%C3%A9${key.length}`).join('&')}${rest}`
          const received = lowerCase ? uri(shuffled).replaceAll('%C3', '%c3') : uri(shuffled)
          const expected = [
            ...(uri(keys) === uri(shuffled) ? [] : ['query-order']),
            ...(lowerCase ? ['hex-case'] : []),
          ]
          expect(codes(received, { uri: uri(keys) })).toEqual(expected)
        },
      ),
    )
  })

  it('answers for any received text, with every place inside it', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({
        unit: fc.constantFrom('%', '2', '5', 'F', '/', '?', '#', '+', ' ', 'é', '\ud83d'),
        maxLength: 30,
      }),
    )
    fc.assert(
      fc.property(text, text, (received, name) => {
        for (const prefix of ['', 'docs://catalog/', 'docs%3A%2F%2Fcatalog%2F%F0%9F%98%80'])
          for (const { index, message } of diagnose(prefix + received, named(name))) {
            expect(index).toBeLessThanOrEqual(prefix.length + received.length)
            expect(message).not.toBe('')
          }
      }),
    )
  })

  it('finds halves of surrogate pairs wherever a value holds them, instead of refusing the value', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'é', '😀', '\ud83d', '\ude00', '\\ud800'),
      maxLength: 5,
    })
    const value = fc.oneof(text, fc.array(text, { maxLength: 3 }), fc.dictionary(text, text, { maxKeys: 3 }))
    fc.assert(
      fc.property(value, fc.constantFrom('x:{v}', 'x:{+v*}', 'x:{?v*}'), (v, template) => {
        const isWhole = !/\p{Cs}/u.test(typeof v === 'string' ? v : Object.entries(v).flat().join(' '))
        const findings = diagnose('x:', { template, values: { v, n: 1n } })
        expect(findings.every(({ code }) => code !== 'lone-surrogate')).toBe(isWhole)
        for (const { repaired } of findings) expect(repaired !== undefined).toBe(isWhole)
      }),
    )
  })

  it.each([
    ['x:%EF%BF%BD=1', { template: 'x:{m*}', values: { m: { '\ud800': '1' } } }],
    ['docs://catalog/a%ED%A0%80b', named('a\ud800b')],
    ['docs://catalog/a%ed%b8%80b', named('a\ude00b')],
    ['docs://catalog/a\ud800b', named('a\ud800b')],
    ['x:a%ED%A0%80', { uri: 'x:a\ud800' }],
    ['a%ED%A0%80', { value: 'a\ud800' }],
    ['docs://catalog/a%ED%A0%80b', named('a\ufffdb')],
  ] satisfies [string, Meant][])(
    'finds half of a surrogate pair and nothing else in %s',
    (received, meant) => {
      expect(diagnose(received, meant)).toMatchObject([{ code: 'lone-surrogate', count: 1 }])
    },
  )

  it('takes only the port of an authority for a port', () => {
    expect(codes('note', { uri: 'note:42' })).toEqual(['different'])
    expect(codes('item:1x', { uri: 'item:12345' })).toEqual(['different'])
    expect(codes('note:', { uri: 'note::42' })).toEqual(['different'])
    expect(codes('urn:a', { uri: 'urn:a:1' })).toEqual(['different'])
    expect(codes('http://u@h/a', { uri: 'http://u:1@h/a' })).toEqual(['different'])
    expect(codes('http://[::1]/a', { uri: 'http://[::1]:80/a' })).toEqual(['port-dropped'])
    expect(codes('http://h', { uri: 'http://h:80' })).toEqual(['port-dropped'])
  })

  it('names the expression as the template has it', () => {
    const meant = { template: 'x:{a:9}{/b*,c}', values: { a: 'x y', b: ['x y'] } }
    expect(diagnose('x:x+y/x%20y', meant)[0]?.message).toBe('a space sent as "+"; write %20 (in {a:9})')
    expect(diagnose('x:x%20y/x+y', meant)[0]?.message).toBe('a space sent as "+"; write %20 (in {/b*,c})')
  })

  it('takes what is inherited for missing, as expansion does', () => {
    const meant = { template: 'x:{toString}{?constructor}', values: {} }
    expect(codes('x:', meant)).toEqual([])
    expect(codes('x:undefined?constructor=undefined', meant)).toEqual(['undefined-written'])
  })

  it('needs work in proportion to the text, whatever was received', () => {
    const work = (received: string, name: string, expected: UriFaultCode[]): number => {
      const started = process.cpuUsage()
      expect(codes(received, named(name))).toEqual(expected)
      return process.cpuUsage(started).user
    }
    const cases = (size: number) => [
      work(`docs://catalog/${encodeName('é/ '.repeat(size)).replaceAll('%2F', '/')}`, 'é/ '.repeat(size), [
        'raw-slash',
      ]),
      work(`docs://catalog/${'b'.repeat(4 * size)}`, 'a'.repeat(4 * size), ['different']),
    ]
    cases(100)
    const [few, many] = [cases(300), cases(2_400)]
    // Eight times the text: quadratic work would be 64 times as much.
    for (const [index, cost] of many.entries()) expect(cost / (few[index]! + 5_000)).toBeLessThan(30)
  })

  it.each<[string, number, UriFaultCode[], (size: number) => [string, Meant]]>([
    [
      'parameters in another order',
      500,
      ['query-order'],
      (size) => {
        const keys = Array.from({ length: size }, (_, index) => `k${100_000 + index}=`)
        const shuffled = keys.map((_, index) => keys[(index * 7_919) % size])
        return [`x:?${shuffled.join('&')}`, { uri: `x:?${keys.join('&')}` }]
      },
    ],
    [
      'raw delimiters',
      2_000,
      ['raw-delimiter', 'decoded-early'],
      (size) => [`docs://catalog/${'?'.repeat(size)}`, named('?'.repeat(size))],
    ],
    [
      'mistakes in a URI that was encoded as a whole',
      2_000,
      ['whole-uri-encoded', 'plus-for-space'],
      (size) => [encodeURIComponent(`docs://catalog/${'+'.repeat(size)}`), named(' '.repeat(size))],
    ],
    [
      'escapes of escapes',
      2_000,
      ['control-dropped', 'different'],
      (size) => [`docs://catalog/%${'25'.repeat(size)}`, named('\t'.repeat(size))],
    ],
    [
      'combining marks',
      500,
      ['different', 'decoded-early'],
      (size) => [`docs://catalog/e${'\u0301\u0316'.repeat(size)}`, named(`e${'\u0301\u0316'.repeat(size)}`)],
    ],
  ])('needs work in proportion to the number of %s', (_, few, expected, texts) => {
    const work = (size: number): number => {
      const [received, meant] = texts(size)
      const started = process.cpuUsage()
      expect(codes(received, meant)).toEqual(expected)
      return process.cpuUsage(started).user
    }
    work(few)
    // Sixteen times the text: quadratic work would be 256 times as much.
    const cost = work(few) + 5_000
    expect(work(16 * few) / cost).toBeLessThan(40)
  })
})

describe('the encoders that diagnose names', () => {
  const name = 'Отчёт май/июнь~(1)*+:'
  const encoders = (spelled: string) => diagnose(`docs://catalog/${spelled}`, named(name))[0]?.encoder

  it('are told apart by what they do', () => {
    const python =
      '%D0%9E%D1%82%D1%87%D1%91%D1%82%20%D0%BC%D0%B0%D0%B9/%D0%B8%D1%8E%D0%BD%D1%8C~%281%29%2A%2B%3A'
    const pythonPlus =
      '%D0%9E%D1%82%D1%87%D1%91%D1%82+%D0%BC%D0%B0%D0%B9%2F%D0%B8%D1%8E%D0%BD%D1%8C~%281%29%2A%2B%3A'
    const go = '%D0%9E%D1%82%D1%87%D1%91%D1%82%20%D0%BC%D0%B0%D0%B9%2F%D0%B8%D1%8E%D0%BD%D1%8C~%281%29%2A+:'
    expect(encoders(python)).toEqual(['Python urllib.parse.quote'])
    expect(encoders(pythonPlus)).toEqual(['Python urllib.parse.quote_plus'])
    expect(encoders(go)).toEqual(['Go url.PathEscape'])
    // `new URL` leaves the same characters of this name as they are.
    expect(encoders(encodeURI(name))).toEqual(['encodeURI', 'new URL().href'])
    expect(encoders(encodeURIComponent(name))).toEqual(['encodeURIComponent'])
    expect(encoders(new URLSearchParams({ name }).toString().slice(5))).toEqual(['URLSearchParams'])
  })

  it('name a URL parser that was given a URI without encoding', () => {
    const name = "a b's [1]"
    const received = new URL(`docs://catalog/${name}`).href
    expect(received).toBe("docs://catalog/a%20b's%20[1]")
    expect(diagnose(received, named(name))[0]?.encoder).toEqual(['new URL().href'])
  })

  it.each([
    ['KBase://Item/1', ['scheme-case']],
    ['HTTPS://Ex.Test/A', ['scheme-case', 'host-case']],
    ['demo://h/a/../b', ['dots-collapsed']],
    ['demo://h/%2e%2e/b', ['dots-collapsed']],
    ['https://ex.test', ['slash-added']],
    ['https://ex.test:443/p', ['port-dropped']],
    ['http://h:80?q', ['port-dropped', 'slash-added']],
    ['demo://h/é', ['needless-escape']],
    ['demo://h/a b', ['needless-escape']],
    ['file:///a\\b', ['backslash-exchanged']],
    ['https://ex.test/a\tb', ['control-dropped']],
  ])('name a URL parser that rewrote the listed URI %s', (uri, expected) => {
    const findings = diagnose(new URL(uri).href, { uri })
    expect(findings.map(({ code }) => code)).toEqual(expected)
    for (const { encoder, repaired } of findings) {
      expect(encoder).toContain('new URL().href')
      expect(repaired).toBe(uri)
    }
  })

  it('name an encoder that was given the finished URI', () => {
    expect(diagnose(encodeURI(right), report)[0]).toMatchObject({
      code: 'double-encoding',
      encoder: ['encodeURI'],
    })
  })
})
