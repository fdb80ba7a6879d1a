import { describe, expect, it } from 'vitest'
import { careless, reserved, runEnd, unreserved } from './characters.ts'
import { readRun } from './read-run.ts'
import { createRandom } from './testing/brute-force.ts'

/** The run by the platform's decoder: the longest start of the text that is of the set and decodes. */
function byPlatform(text: string, from: number, set: typeof unreserved): { end: number; value: string } {
  const end = runEnd(text, from, set)
  return { end, value: decodeURIComponent(text.slice(from, end)) }
}

const octet = (code: number): string => `%${code.toString(16).padStart(2, '0')}`

describe('a run of characters', () => {
  it('is decoded as the platform decodes it, and ends where UTF-8 does, for all octets', () => {
    // What is short and what is long is read in two ways.
    const leads = ['', 'a'.repeat(300)]
    for (const first of Array.from({ length: 256 }, (_, code) => code))
      for (const second of [0, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff])
        for (const rest of [
          '',
          '%80',
          '%80%80',
          '%bf%BF',
          '%C0%80',
          '%80%7f',
          '%8',
          '%',
          '%8季',
          '%80%80%80',
        ])
          for (const lead of leads)
            for (const end of ['', 'x']) {
              const text = `${lead}${octet(first)}${octet(second)}${rest}${end}`
              const { end: at, value } = readRun(text, 0, unreserved)
              const right = byPlatform(text, 0, unreserved)
              if (at !== right.end || value !== right.value) throw new Error(`${text} is read as ${value}`)
            }
    expect(readRun('%D0%8', 0, unreserved)).toEqual({ end: 0, value: '' })
  })

  it('is the same wherever it starts, however long it is, and whatever stands behind it', () => {
    const random = createRandom(31)
    const pieces = ['a', 'plain-text', '%20', '%C3%A9', '%E5%AD%A3', '%F0%9F%98%80', '%e5%ad%a3', '%00']
    const ends = [
      '',
      '/',
      ',',
      '%',
      '%E5',
      '%E5%AD',
      '%F0%9F%98',
      '%zz',
      '%C3%28',
      'é',
      '季',
      '%ED%A0%80',
      '\ud800',
    ]
    for (const length of [0, 1, 5, 9, 30, 200, 1800, 3600])
      for (let tried = 0; tried < 40; tried += 1) {
        const run = Array.from({ length }, () => pieces[random(pieces.length)]).join('')
        const text = `${'é'.repeat(random(3))}:${run}${ends[random(ends.length)]}${'tail'.repeat(random(9))}`
        const from = text.indexOf(':') + 1
        for (const set of [unreserved, reserved])
          expect(readRun(text, from, set)).toEqual(byPlatform(text, from, set))
      }
  })

  it('only ends where characters other than ASCII may be part of it', () => {
    expect(readRun('x/季%20 y?', 1, careless)).toEqual({ end: 8, value: '' })
  })
})
