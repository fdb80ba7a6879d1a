import { generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ed25519Signer, ed25519Verifier } from '../file.ts'
import { utf8 } from './bytes.ts'
import type { Finding } from './findings.ts'
import { addLeaf, createFrontier, leafHash } from './merkle.ts'
import { formatVerifierKey, signNote } from './note.ts'
import { forge, formatLine, type Plain, plainStore, writeTree } from './testing/tampering.ts'
import { type VerifyOptions, verifyStore } from './verify.ts'

const newSigner = (name = 'log.example/decisions') =>
  ed25519Signer({ name, privateKey: generateKeyPairSync('ed25519').privateKey })
const signer = newSigner()
const trust = [ed25519Verifier(formatVerifierKey(signer))]

const size = 24
const written = await writeTree(size)
const sealedTree = await writeTree(size, { signer, checkpointAt: [6, 13, 20] })

/** Without the note that a tree has no checkpoint that fits, which has a test of its own. */
async function check(tree: Plain, options: VerifyOptions = {}) {
  const result = await verifyStore(plainStore(tree), options)
  return { ...result, findings: result.findings.filter(({ kind }) => kind !== 'unsealed') }
}
const withLines = (lines: readonly string[], tree: Plain = written): Plain => ({ ...tree, lines })
const anyIndex = fc.integer({ min: 0, max: size - 1 })

describe('verify', () => {
  it('finds nothing in a log that nobody touched', async () => {
    expect(await check(written)).toMatchObject({ ok: true, records: size, findings: [] })
    expect(await check(sealedTree, { trust })).toMatchObject({
      ok: true,
      findings: [],
      trees: [{ checkpoints: 3, sealed: 20, origin: `log.example/decisions/${sealedTree.tree}` }],
    })
  })

  it('names the one record in which any byte was changed', async () => {
    await fc.assert(
      fc.asyncProperty(anyIndex, fc.nat(), fc.integer({ min: 1, max: 127 }), async (index, at, flip) => {
        const bytes = Buffer.from(written.lines[index] as string)
        const place = at % bytes.length
        bytes[place] = ((bytes[place] as number) ^ flip) & 0x7f
        fc.pre(bytes.toString() !== written.lines[index])
        const { ok, findings } = await check(withLines(written.lines.with(index, bytes.toString())))
        expect(ok).toBe(false)
        // A line whose index was changed passes for another record: then it is named by its place.
        const names = ({ severity, ...found }: Finding) =>
          severity === 'error' && (found.index === index || found.line === index + 1)
        expect(findings.some(names)).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  it('reports a changed record once, and what follows is checked as before', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(anyIndex, { minLength: 1, maxLength: 4 }), async (indices) => {
        fc.pre(!indices.includes(0))
        const lines = written.lines.map((line, at) =>
          indices.includes(at) ? line.replace('"verdict":"allow"', '"verdict":"deny"') : line,
        )
        const { findings } = await check(withLines(lines))
        expect(findings.map(({ kind, index, line }) => [kind, index, line])).toEqual(
          indices.toSorted((a, b) => a - b).map((index) => ['changed', index, index + 1]),
        )
      }),
    )
  })

  it('names the records that were removed', async () => {
    await fc.assert(
      fc.asyncProperty(anyIndex, fc.integer({ min: 1, max: 6 }), async (from, count) => {
        const end = from + count
        fc.pre(end < size)
        const { findings } = await check(withLines(written.lines.toSpliced(from, count)))
        const errors = findings.filter(({ severity }) => severity === 'error')
        expect(errors.map(({ kind, index, end: last }) => [kind, index, last])).toEqual([
          ['removed', from, end],
        ])
      }),
    )
  })

  it('names a record that was inserted, wherever it comes from', async () => {
    await fc.assert(
      fc.asyncProperty(anyIndex, anyIndex, fc.boolean(), async (place, source, forged) => {
        const copy = written.lines[source] as string
        const line = forged ? copy.replace('"allow"', '"deny"') : copy
        fc.pre(!(forged && source === 0))
        const { findings } = await check(withLines(written.lines.toSpliced(place, 0, line)))
        const kinds = findings
          .filter(({ severity }) => severity === 'error')
          .map(({ kind, index }) => [kind, index])
        // A copy ahead of its original looks like a record that was moved forward, and its original like a second one.
        expect(
          kinds.every(([kind]) => ['inserted', 'reordered', 'removed', 'changed'].includes(String(kind))),
        ).toBe(true)
        expect(kinds.some(([, index]) => index === source)).toBe(true)
        if (source <= place) expect(kinds).toEqual([['inserted', source]])
      }),
      { numRuns: 300 },
    )
  })

  it('names an inserted record that has a right hash of its own and takes the place of a true one', async () => {
    const at = 8 // Even: its node is its leaf alone, and a forger can make it.
    const leaf = JSON.stringify({
      index: at,
      ...JSON.parse(written.lines[7] as string),
      hash: undefined,
    }).replace(/"index":\d+/, `"index":${at}`)
    const forged = formatLine(leaf, leafHash(utf8(leaf)))
    const { findings } = await check(withLines(written.lines.toSpliced(at, 0, forged)))
    expect(
      findings
        .filter(({ severity }) => severity === 'error')
        .every(({ index }) => index === at || index === at + 1),
    ).toBe(true)
    expect(findings.some(({ kind, index }) => kind === 'inserted' && index === at)).toBe(true)
  })

  it('names a record that was moved', async () => {
    await fc.assert(
      fc.asyncProperty(anyIndex, anyIndex, async (from, to) => {
        fc.pre(from < to)
        const moved = written.lines.toSpliced(from, 1).toSpliced(to, 0, written.lines[from] as string)
        const { findings } = await check(withLines(moved))
        const errors = findings.filter(({ severity }) => severity === 'error')
        expect(errors.map(({ kind, index, line }) => [kind, index, line])).toEqual([
          ['reordered', from, to + 1],
        ])
      }),
    )
  })

  it('says which records a checkpoint shows to be rewritten, hashes and all', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 19 }), async (index) => {
        const lines = forge(sealedTree.lines, (record, at) =>
          at === index ? { ...record, verdict: 'deny' } : record,
        )
        expect((await check({ ...sealedTree, lines, checkpoints: [] })).ok).toBe(true)
        const { findings } = await check({ ...sealedTree, lines }, { trust })
        const [from, end] = index < 6 ? [0, 6] : index < 13 ? [6, 13] : [13, 20]
        expect(findings).toMatchObject([{ kind: 'rewritten', index: from, end }])
      }),
    )
  })

  it('finds a tail that was cut off by its own checkpoints, and by one that was kept elsewhere', async () => {
    const own = await check({ ...sealedTree, lines: sealedTree.lines.slice(0, 18) }, { trust })
    expect(own.findings).toMatchObject([{ kind: 'cut', index: 18, end: 20, size: 20 }])
    // Whoever cuts the log can cut its checkpoints too.
    const both = {
      ...sealedTree,
      lines: sealedTree.lines.slice(0, 18),
      checkpoints: sealedTree.checkpoints.slice(0, 2),
    }
    expect((await check(both, { trust })).ok).toBe(true)
    const against = sealedTree.checkpoints[2] as string
    expect((await check(both, { trust, against })).findings).toMatchObject([
      { kind: 'cut', index: 18, end: 20 },
    ])
  })

  it('finds a history that was rewritten and signed anew, by a checkpoint that was kept elsewhere', async () => {
    const lines = forge(sealedTree.lines, (record, at) => (at === 9 ? { ...record, rule: 'none' } : record))
    const rewritten = { ...sealedTree, lines, checkpoints: [] }
    const against = sealedTree.checkpoints
    expect(
      (await check(rewritten, { trust, against })).findings.map(({ kind, index, end }) => [kind, index, end]),
    ).toEqual([
      ['rewritten', 6, 13],
      ['rewritten', 6, 20],
    ])
  })

  it('finds a whole tree that is gone, by a checkpoint that was kept elsewhere', async () => {
    const { findings } = await verifyStore(plainStore(written), { trust, against: sealedTree.checkpoints })
    const errors = findings.filter(({ severity }) => severity === 'error')
    expect(errors.map(({ kind, tree }) => [kind, tree])).toEqual(
      Array.from({ length: 3 }, () => ['missing-tree', sealedTree.tree]),
    )
  })

  it('relies on no checkpoint by another key, with a wrong signature, or with none', async () => {
    const [first = ''] = sealedTree.checkpoints
    const other = await check(sealedTree, { trust: [newSigner()] })
    expect(other).toMatchObject({ ok: false, trees: [{ sealed: 0 }] })
    expect(other.findings.map(({ kind }) => kind)).toEqual(['unknown-key', 'unknown-key', 'unknown-key'])
    const wrong = first.replace('\n6\n', '\n7\n')
    expect((await check({ ...sealedTree, checkpoints: [wrong] }, { trust })).findings).toMatchObject([
      { kind: 'bad-signature', size: 7 },
    ])
    const bare = first.split('\n\n')[0] as string
    expect((await check({ ...sealedTree, checkpoints: [`${bare}\n`] }, { trust })).findings).toMatchObject([
      { kind: 'unsigned', size: 6 },
    ])
    expect((await check({ ...sealedTree, checkpoints: ['nonsense'] }, { trust })).findings).toMatchObject([
      { kind: 'bad-checkpoint' },
    ])
  })

  it('relies on a bare checkpoint that somebody kept, and says when no signature was checked', async () => {
    const bare = (sealedTree.checkpoints[2] as string).split('\n\n')[0]
    const cut = { ...sealedTree, lines: sealedTree.lines.slice(0, 10), checkpoints: [] }
    expect((await check(cut, { against: `${bare}\n` })).findings).toMatchObject([
      { kind: 'cut', index: 10, end: 20 },
    ])
    const unchecked = await check(sealedTree)
    expect(unchecked).toMatchObject({
      ok: true,
      findings: [{ kind: 'unchecked-signature', severity: 'note' }],
    })
  })

  it('finds two signed checkpoints of one size that contradict each other', async () => {
    const twin = await writeTree(size, { signer, checkpointAt: [13] })
    const moved = (twin.checkpoints[0] as string).split('\n')
    const forged = await signNote(`log.example/decisions/${sealedTree.tree}\n13\n${moved[2]}\n`, [signer])
    const { findings } = await check(sealedTree, { trust, against: forged })
    expect(findings).toMatchObject([{ kind: 'forked', size: 13 }])
  })

  it('finds a tree that stands under the name of another', async () => {
    const { findings } = await check({ ...written, tree: sealedTree.tree })
    expect(findings).toMatchObject([{ kind: 'foreign', index: 0 }])
    const swapped = await check({ ...written, checkpoints: sealedTree.checkpoints }, { trust })
    expect(swapped.findings.map(({ kind }) => kind)).toEqual(['foreign', 'foreign', 'foreign'])
  })

  it('names the lines that were written as they are, and are not the JSON of their place', async () => {
    const { tree, lines } = await writeTree(8)
    const written: ((leaf: string) => string)[] = [
      (leaf) => leaf.replace('"verdict"', ',"verdict"'),
      (leaf) => leaf.replace('"verdict":', '"verdict":undefined,"x":'),
      (leaf) => leaf.replace('"verdict"', '"index":99,"verdict"'),
      (leaf) => leaf.replace('"verdict"', '"tree":"other","verdict"'),
      (leaf) => `${leaf.slice(0, -1)}]}`,
    ]
    const frontier = createFrontier()
    const forged = lines.map((line, at) => {
      const leaf = line.replace(/,"hash":"[^"]+"}$/, '}')
      const made = written[at - 1]?.(leaf) ?? leaf
      return formatLine(made, addLeaf(frontier, leafHash(utf8(made))) as Uint8Array)
    })
    const { findings, ok } = await check({ tree, lines: forged, checkpoints: [] })
    expect(
      findings
        .filter(({ severity }) => severity === 'error')
        .map(({ kind, index, line }) => [kind, index, line]),
    ).toEqual([1, 2, 3, 4, 5].map((at) => ['malformed', at, at + 1]))
    expect(ok).toBe(false)
  })

  it('counts every finding and lists as many as it is asked to', async () => {
    const lines = written.lines.map((line) => line.replace('"type"', '"Type"'))
    const result = await check(withLines(lines), { limit: 5 })
    expect(result.findings).toHaveLength(5)
    expect(result.errors).toBeGreaterThanOrEqual(size)
  })

  it('answers a line that claims an absurd index without taking room for it', async () => {
    const absurd = (written.lines[5] as string).replace('"index":5', '"index":999999999999999')
    const { findings } = await check(withLines([...written.lines.slice(0, 5), absurd]))
    expect(findings).toMatchObject([
      { kind: 'unverifiable' },
      { kind: 'removed', index: 5, end: 999_999_999_999_999 },
    ])
  })

  it('says when no checkpoint shows who wrote a tree', async () => {
    const unsealed = await verifyStore(plainStore(written), { trust })
    expect(unsealed).toMatchObject({
      ok: true,
      findings: [{ kind: 'unsealed', severity: 'note', tree: written.tree }],
    })
    expect((await verifyStore(plainStore(sealedTree), { trust })).findings).toEqual([])
    expect((await verifyStore(plainStore(written))).findings).toEqual([])
  })

  it('takes checkpoints as people keep them: one, several in a file, with other line ends, and says what is none', async () => {
    const cut = { ...sealedTree, lines: sealedTree.lines.slice(0, 10), checkpoints: [] }
    const file = sealedTree.checkpoints.map((note) => `${note}\n`).join('')
    for (const against of [
      file,
      file.trimEnd(),
      file.replaceAll('\n', '\r\n'),
      `${file}\n\n`,
      [...sealedTree.checkpoints],
    ]) {
      const { findings } = await check(cut, { trust, against })
      expect(findings.map(({ kind, size: covered }) => [kind, covered])).toEqual([['cut', 20]])
    }
    for (const against of ['', 'nonsense', `${file}nonsense\n`])
      expect((await check(sealedTree, { trust, against })).findings).toMatchObject([
        { kind: 'bad-checkpoint' },
      ])
  })
})
