import { describe, expect, it } from 'vitest'
import { withSection } from './page.ts'

describe('the benchmark page', () => {
  it('gets new sections at its end and keeps everything else when one is written again', () => {
    const first = withSection(withSection('# Page\n', 'a', 'one'), 'b', 'two')
    expect(first).toBe(
      '# Page\n\n<!-- begin a -->\none\n<!-- end a -->\n\n<!-- begin b -->\ntwo\n<!-- end b -->\n',
    )
    expect(withSection(first, 'a', 'new $& text')).toBe(first.replace('one', () => 'new $& text'))
  })
})
