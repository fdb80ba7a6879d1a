import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eraOf, newestCommon, REVISIONS, revisionFor, versionsOf } from './versions.ts'

describe('the era of a version', () => {
  it('is that of its date', () => {
    expect(REVISIONS.map(eraOf)).toEqual(['legacy', 'legacy', 'legacy', 'legacy', 'modern'])
    expect([eraOf('2024-10-07'), eraOf('2026-07-28'), eraOf('2027-02-28'), eraOf('2028-02-29')]).toEqual([
      'legacy',
      'modern',
      'modern',
      'modern',
    ])
  })

  it('is none between the last legacy and the first modern revision', () => {
    expect([eraOf('2025-11-26'), eraOf('2026-07-27')]).toEqual([undefined, undefined])
  })

  it.each([
    'zzz',
    '',
    '2026',
    '2026-7-28',
    '2026-13-01',
    '2026-00-10',
    '2027-02-29',
    '2100-02-29',
    '2027-04-31',
    '2027-01-00',
    ' 2026-07-28',
    '2026-07-28\n',
    '2026-07-28-draft',
    'DRAFT-2026-v1',
    '٢٠٢٦-٠٧-٢٨',
    null,
    undefined,
    20260728,
    ['2026-07-28'],
    {},
  ])('is none for %j', (version) => {
    expect(eraOf(version)).toBeUndefined()
  })

  it('agrees with the calendar for every date', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1990-01-01'), max: new Date('2199-12-31'), noInvalidDate: true }),
        (date) => {
          const version = date.toISOString().slice(0, 10)
          const expected = version >= '2026-07-28' ? 'modern' : version <= '2025-11-25' ? 'legacy' : undefined
          expect(eraOf(version)).toBe(expected)
        },
      ),
    )
  })
})

describe('choosing a version', () => {
  it('takes the newest common one of the era, in any order', () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray([...REVISIONS]),
        fc.shuffledSubarray([...REVISIONS]),
        (ours, theirs) => {
          const common = ours
            .filter((version) => theirs.includes(version) && eraOf(version) === 'legacy')
            .sort()
          expect(newestCommon('legacy', ours, theirs)).toBe(common.at(-1))
        },
      ),
    )
  })

  it('lists each version once, newest first', () => {
    expect(versionsOf('legacy', ['2024-11-05', '2026-07-28', '2025-11-25', '2024-11-05', 'zzz'])).toEqual([
      '2025-11-25',
      '2024-11-05',
    ])
  })

  it('reads an unpublished version by the rules of the newest revision before it', () => {
    expect(['2024-10-07', '2025-04-01', '2027-01-01'].map(revisionFor)).toEqual([
      '2024-11-05',
      '2025-03-26',
      '2026-07-28',
    ])
  })
})
