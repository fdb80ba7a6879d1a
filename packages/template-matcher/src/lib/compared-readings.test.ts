import { parseTemplate } from '@truename/uri-codec'
import { describe, expect, it } from 'vitest'
import { comparedReadings } from './compared-readings.ts'
import { shortestWord } from './product.ts'

const compared = (template: string) => comparedReadings(parseTemplate(template), false, () => {})

describe('the readings that are compared', () => {
  it.each([
    ['x:{a}{b}', 1],
    ['x:{a}{b}{a}', 3],
    ['x:{a}{b}{c}{a}{b}', 10],
  ])('of %s are one pair for each two choices of which repeated variables are there', (template, count) => {
    expect(compared(template)).toHaveLength(count)
  })

  it('are no longer told apart where variables are repeated beyond a bound', () => {
    expect(compared('x:{a}{b}{c}{d}/{a}{b}{c}{d}')).toHaveLength(1)
  })

  it.each(['x:{a}/{a}', 'x:{a}-{b}/{a}', 'x:{a,b}{?a}', 'x:{a}.{b}.{c}{?a,b}', 'x:{id:2}{name}/{id}'])(
    'are none where every variable of %s is shown to have one value',
    (template) => {
      expect(compared(template)).toEqual([])
    },
  )

  it('are as long in what is known to be equal', () => {
    // `b` is known by the query, so that only `a` and `c` can be cut in another place, and only where `b` is absent.
    const words = compared('x:{a}{b}{c}{?b}').map((product) => shortestWord(product)?.text)
    expect(words).toContain('x:a')
    expect(compared('x:{b}{a}{?b}')).toEqual([])
  })
})
