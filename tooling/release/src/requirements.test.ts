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

describe('the requirements manifest', () => {
  it.each(manifests)('%s: every row names tests that exist', (path) => {
    const rows = JSON.parse(readFileSync(join(folder, path), 'utf8')) as Readonly<
      Record<string, readonly Proof[]>
    >
    const lost = Object.entries(rows).flatMap(([row, proofs]) =>
      proofs.length === 0
        ? [`${row}: no test`]
        : proofs.filter(isLost).map(({ file, test }) => `${row}: ${file}: ${test}`),
    )
    expect(lost).toEqual([])
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
