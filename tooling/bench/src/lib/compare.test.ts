import { describe, expect, it } from 'vitest'
import { compare, quantile } from './compare.ts'
import { fastestPeer, summaryTable } from './markdown.ts'

const work = (loops: number) => () => {
  let text = ''
  for (let at = 0; at < loops; at += 1) text = String(text.length + at)
  return 'right'
}

describe('a comparison', () => {
  const comparison = compare(
    {
      name: 'demo',
      isRight: (answer) => answer === 'right',
      contestants: [
        { name: 'ours', ours: true, prepare: () => work(100) },
        { name: 'slower', prepare: () => work(2_000) },
        { name: 'liar', prepare: () => () => 'wrong' },
        {
          name: 'unable',
          prepare: () => {
            throw new Error('cannot')
          },
        },
      ],
    },
    { rounds: 5, sliceMs: 1 },
  )

  it('times only who answers rightly, and says why others are not', () => {
    expect(comparison.standings.map(({ name, right }) => [name, right])).toEqual([
      ['ours', true],
      ['slower', true],
      ['liar', false],
      ['unable', false],
    ])
  })

  it('takes ratios to ours, and finds the fastest right peer', () => {
    expect(fastestPeer(comparison)?.name).toBe('slower')
    expect(fastestPeer(comparison)?.relative).toBeLessThan(1)
    expect(summaryTable([comparison])).toContain('2 of 3')
  })

  it('uses medians', () => {
    expect(quantile([9, 1, 2])).toBe(2)
    expect(quantile([1, 2, 3, 10])).toBe(2.5)
  })
})
