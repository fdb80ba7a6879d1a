import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toBase64 } from './bytes.ts'
import { checkpointText, makeCheckpoint, parseCheckpoint, splitCheckpoints, treeOf } from './checkpoint.ts'

// The example of the C2SP tlog-checkpoint specification.
const example =
  'example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n' +
  '\u2014 example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n'
const root = Uint8Array.from({ length: 32 }, (_, at) => at)

describe('checkpoints', () => {
  it('are read as the specification shows them', () => {
    const { origin, size, root: hash, signed } = parseCheckpoint(example)
    expect([origin, size, toBase64(hash)]).toEqual([
      'example.com/behind-the-sofa',
      20852163,
      'CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=',
    ])
    expect(signed?.signatures.map(({ name }) => name)).toEqual(['example.com/behind-the-sofa'])
  })

  it('are written as they are read', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.uint8Array({ minLength: 32, maxLength: 32 }), async (size, hash) => {
        const { note } = await makeCheckpoint('example.com/log/tree', size, hash, undefined)
        expect(parseCheckpoint(note)).toMatchObject({
          origin: 'example.com/log/tree',
          size,
          signed: undefined,
        })
        expect(toBase64(parseCheckpoint(note).root)).toBe(toBase64(hash))
        expect(treeOf(parseCheckpoint(note))).toBe('tree')
      }),
    )
  })

  it('keep extension lines, as the format allows them', () => {
    expect(parseCheckpoint(`${checkpointText('o', 1, root)}more\n`).size).toBe(1)
  })

  it.each([
    ['line 1', example.replace('example.com/behind-the-sofa\n', '\n')],
    ['line 2', example.replace('20852163', '020852163')],
    ['line 2', example.replace('20852163', '-1')],
    ['line 2', example.replace('20852163', '9'.repeat(20))],
    ['line 3', example.replace('CsUY', 'CsU')],
    ['line 3', example.replace('q2I=', 'q2J=')],
    ['newline', checkpointText('o', 1, root).slice(0, -1)],
    ['signatures', `${checkpointText('o', 1, root)}\nnot a signature\n`],
    ['longer', `${checkpointText('o', 1, root)}${'x'.repeat(70_000)}\n`],
  ])('say that %s is wrong', (where, text) => {
    expect(() => parseCheckpoint(text)).toThrow(where)
    expect(() => parseCheckpoint(text)).toThrow(expect.objectContaining({ code: 'bad-checkpoint' }))
  })

  it('are told apart in one file, signed and bare, with a last one that was not written to its end', () => {
    const bare = checkpointText('o', 1, root)
    const notes = [example, bare, bare, example, example]
    const text = notes.map((note) => `${note}\n`).join('')
    expect(splitCheckpoints(text)).toEqual({ notes, rest: '' })
    for (let cut = 1; cut < example.length; cut += 1) {
      const { notes: whole } = splitCheckpoints(text.slice(0, -cut))
      expect(whole.slice(0, 4)).toEqual(notes.slice(0, 4))
    }
  })
})
