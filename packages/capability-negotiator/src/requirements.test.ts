import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

interface Proof {
  readonly file: string
  readonly test: string
  readonly era?: 'legacy' | 'modern'
  readonly transport?: 'stdio' | 'http'
}

const root = join(import.meta.dirname, '..', '..', '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const manifest: Readonly<Record<string, readonly Proof[]>> = JSON.parse(
  read('docs/requirements/capability-negotiator.json'),
)

const numbered = (prefix: string, numbers: readonly number[]) => numbers.map((number) => `${prefix}${number}`)

/** What this package answers: requirements, field reports, and assertions of the protocol for each era. */
const ROWS = [
  ...numbered('N', [1, 2, 3, 4, 5, 6, 7, 8, 9]),
  ...numbered('F-B', [1, 2, 3, 5, 7, 8, 9, 11, 12, 15]),
  'F-E9',
  ...numbered(
    'M-',
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 30, 38, 42, 43],
  ),
]

describe('the requirements of this package', () => {
  it.each(ROWS)('%s has a test', (row) => {
    expect(manifest[row]?.length ?? 0).toBeGreaterThan(0)
  })

  it('are listed here, all of them', () => {
    expect(Object.keys(manifest).sort()).toEqual([...ROWS].sort())
  })

  it.each([
    ['legacy', [1, 2, 3, 4, 5, 6, 9, 18]],
    ['modern', [11, 13, 14, 16, 17, 21, 22, 23, 24, 42, 43]],
  ] as const)('of the %s era alone say so', (era, numbers) => {
    const unsaid = numbered('M-', numbers).filter(
      (row) => !manifest[row]?.every((proof) => proof.era === era),
    )
    expect(unsaid).toEqual([])
  })

  it('name tests that exist, in eras and over transports that exist', () => {
    const wrong = Object.entries(manifest).flatMap(([row, proofs]) =>
      proofs
        .filter(({ file, test, era, transport }) => {
          const quoted = ["'", '"'].some((quote) =>
            read(file).includes(quote + test.replaceAll(quote, `\\${quote}`) + quote),
          )
          return (
            !quoted ||
            !['legacy', 'modern', undefined].includes(era) ||
            !['stdio', 'http', undefined].includes(transport)
          )
        })
        .map(({ test }) => `${row}: ${test}`),
    )
    expect(wrong).toEqual([])
  })
})
