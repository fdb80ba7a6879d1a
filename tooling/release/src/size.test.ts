import { describe, expect, it } from 'vitest'
import { bundledSize } from './bundle-size.ts'
import { sizeLimits } from './size-limits.ts'

describe('the size of a package in a browser', () => {
  for (const each of sizeLimits) {
    const what = each.imports === 'all' ? 'all' : each.imports.join(' and ')
    const { notMetYet } = each
    if (notMetYet !== undefined)
      it(`stays within the ${notMetYet} bytes it takes still for ${what} of ${each.package}`, async () => {
        expect(await bundledSize(each)).toBeLessThanOrEqual(notMetYet)
      })
    const check = notMetYet === undefined ? it : it.fails
    check(`stays within ${each.limit} bytes for ${what} of ${each.package}`, async () => {
      expect(await bundledSize(each)).toBeLessThanOrEqual(each.limit)
    })
  }

  it('is measured with everything that is needed, and without what is not', async () => {
    const [all, parse] = await Promise.all(
      (['all', ['parseTemplate']] as const).map((imports) =>
        bundledSize({ package: 'uri-codec', imports, limit: 0 }),
      ),
    )
    expect(parse).toBeGreaterThan(500)
    expect(parse).toBeLessThan(all! / 2)
  })
})
