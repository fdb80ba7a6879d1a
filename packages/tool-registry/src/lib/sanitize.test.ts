import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mixedScripts, skeleton } from './confusables.ts'
import { findHidden, withoutHidden } from './hidden-text.ts'
import { invisible } from './invisible.ts'
import { sanitizeForDisplay, sanitizeName } from './sanitize.ts'

describe('sanitizeForDisplay', () => {
  it('writes out what does not show, and leaves the rest as it is', () => {
    expect(sanitizeForDisplay('a\u200Bb \u202Ec\u001B[2Jd')).toBe(
      'a⟨U+200B⟩b ⟨U+202E⟩c⟨U+001B⟩⟨U+005B⟩⟨U+0032⟩⟨U+004A⟩d',
    )
    expect(sanitizeForDisplay('\u{E0041}')).toBe('⟨U+E0041⟩')
    expect(sanitizeForDisplay('Отчёт май/июнь 🎉 季度')).toBe('Отчёт май/июнь 🎉 季度')
  })

  it('leaves nothing that a terminal acts on, whatever comes', () => {
    const nasty = fc.string({
      unit: fc.oneof(
        fc.constantFrom(
          '\u001B',
          '[',
          ']',
          '0',
          ';',
          'm',
          '\u0007',
          '\\',
          '\u009B',
          '\r',
          '\b',
          '\u202E',
          '\u200D',
          '\uFE0F',
          '👩',
          '🏴',
          '\u{E0067}',
          '\u{E007F}',
          'a',
          '\uD800',
        ),
        fc.string({ unit: 'binary', maxLength: 1 }),
      ),
      maxLength: 30,
    })
    fc.assert(
      fc.property(nasty, (text) => {
        const shown = sanitizeForDisplay(text)
        expect(shown).not.toMatch(
          /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069\uD800-\uDFFF]/u,
        )
        expect(shown.replaceAll('\r\n', '')).not.toContain('\r')
        expect(findHidden(shown).filter(({ kind }) => kind !== 'space')).toEqual([])
        expect(sanitizeForDisplay(shown)).toBe(shown)
      }),
      { numRuns: 500 },
    )
  })

  it('keeps to one line and to a length where asked', () => {
    expect(sanitizeForDisplay('a\nb\tc\r\nd', { lines: 'escape' })).toBe('a⏎b⇥c⏎d')
    expect(sanitizeForDisplay('abcdef', { limit: 3 })).toBe('abc… (3 more characters)')
    expect(sanitizeForDisplay('ab😀d', { limit: 3 })).toBe('ab… (3 more characters)')
    expect(sanitizeForDisplay('abc', { limit: 3 })).toBe('abc')
  })

  it('shows every odd space of a name', () => {
    expect(sanitizeName('a\u00A0b\u2003c d')).toBe('a⟨U+00A0⟩b⟨U+2003⟩c d')
  })
})

describe('findHidden', () => {
  it('finds runs by kind with their places, and takes them out', () => {
    const text = 'x\u200B\u200By\u{E0041}\u{E0042}z'
    expect(findHidden(text)).toEqual([
      { kind: 'invisible', index: 1, text: '\u200B\u200B' },
      { kind: 'tag', index: 4, text: '\u{E0041}\u{E0042}' },
    ])
    expect(withoutHidden(text)).toBe('xyz')
  })

  it('reads every text in full, one code point after the other', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const { index, text: run } of findHidden(text))
          expect(text.slice(index, index + run.length)).toBe(run)
      }),
    )
  })
})

/** All code points but the ideographs of planes 2 and 3 and the planes that are empty or private throughout. */
function* codePoints(): Generator<number> {
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const isDull = (code >= 0x20000 && code < 0xe0000) || code >= 0xf0000
    if (!isDull || (code & 0xfffe) === 0xfffe) yield code
  }
}

describe('the table of invisible characters', () => {
  it('has every character that this engine knows not to show', () => {
    const unseen =
      /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Zs}\p{Co}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\p{Bidi_Control}\p{Variation_Selector}]/u
    const missing: string[] = []
    for (const code of codePoints()) {
      const character = String.fromCodePoint(code)
      if (code !== 0x20 && unseen.test(character) && !invisible.test(character))
        missing.push(code.toString(16))
    }
    expect(missing).toEqual([])
  })

  it('has no letter, digit, mark or symbol that shows', () => {
    const blank = new Set([
      0x115f, 0x1160, 0x17b4, 0x17b5, 0x180b, 0x180c, 0x180d, 0x180f, 0x2800, 0x3164, 0xffa0, 0x034f, 0x16fe4,
      0x1d159, 0x1d173,
    ])
    for (const code of codePoints()) {
      const character = String.fromCodePoint(code)
      if (!invisible.test(character) || blank.has(code)) continue
      const shows =
        /[\p{L}\p{N}\p{M}\p{S}\p{P}]/u.test(character) &&
        !/\p{Default_Ignorable_Code_Point}|\p{Cf}/u.test(character)
      expect(shows, code.toString(16)).toBe(/[\uFFFC\uFFFD]/.test(character))
    }
  })
})

describe('confusables', () => {
  it.each([
    ['search', 's\u0435arch'],
    ['payments', 'p\u0430yments'],
    ['rnail', 'mail'],
    ['O0', '0O'],
    ['list', '\u217Cist'],
    ['scope', '\u0455\u0441\u043E\u0440\u0435'],
    ['ad\u200Bmin', 'admin'],
  ])('%s looks like %s', (a, b) => {
    expect(skeleton(a)).toBe(skeleton(b))
  })

  it('leaves names apart that do not look alike', () => {
    const names = ['search', 'Search', 'find', 'find_all', 'get', 'set', 'put']
    expect(new Set(names.map(skeleton)).size).toBe(names.length)
  })

  it('names the alphabets that a word mixes', () => {
    expect(mixedScripts('adm\u0456n')).toEqual(['Latin', 'Cyrillic'])
    expect(mixedScripts('admin')).toEqual([])
    expect(mixedScripts('\u041F\u043E\u0438\u0441\u043A')).toEqual([])
  })
})
