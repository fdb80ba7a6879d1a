import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { filesBelow, root } from './workspace.ts'

interface Proof {
  readonly file: string
  readonly test: string
}

const folder = join(root, 'docs', 'requirements')
const manifests = filesBelow(folder, (path) => path.endsWith('.json'))

type Manifest = Readonly<Record<string, readonly Proof[]>>

const read = (path: string): Manifest => JSON.parse(readFileSync(join(folder, path), 'utf8')) as Manifest

describe('the requirements manifest', () => {
  it.each(manifests)('%s: every row names tests that exist', (path) => {
    const lost = Object.entries(read(path)).flatMap(([row, proofs]) =>
      proofs.length === 0
        ? [`${row}: no test`]
        : proofs.filter(isLost).map(({ file, test }) => `${row}: ${file}: ${test}`),
    )
    expect(lost).toEqual([])
  })

  it('shows every requirement by a test, or says why none does', () => {
    const [tables = '', open = ''] = readFileSync(join(folder, 'README.md'), 'utf8').split('\n## Open\n')
    const idsIn = (text: string) => [...text.matchAll(/^\| ([A-Z]-?[A-Z]?\d+) \| \S/gm)].map(([, id]) => id!)
    const shown = new Set(manifests.flatMap((path) => Object.keys(read(path))))
    const known = idsIn(tables)
    expect(known.length).toBeGreaterThan(160)
    expect(new Set(known).size).toBe(known.length)
    expect([...shown].filter((id) => !known.includes(id))).toEqual([])
    expect(known.filter((id) => !shown.has(id))).toEqual(idsIn(open))
  })
})

function isLost({ file, test }: Proof): boolean {
  const path = join(root, file)
  if (!existsSync(path)) return true
  const source = readFileSync(path, 'utf8')
  return !["'", '"', '`'].some((quote) =>
    source.includes(quote + test.replaceAll(quote, `\\${quote}`) + quote),
  )
}
