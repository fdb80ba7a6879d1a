import { createPublicKey, verify } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ed25519Signer, ed25519Verifier } from '../file.ts'
import { concat, fromBase64, utf8 } from './bytes.ts'
import {
  formatVerifierKey,
  judgeNote,
  keyId,
  type Note,
  parseNote,
  parseVerifierKey,
  signNote,
} from './note.ts'

// The key and note that Go's sumdb/note package is documented and tested with.
const goKey = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
const goNote =
  'If you think cryptography is the answer to your problem,\n' +
  "then you don't know what your problem is.\n" +
  '\n' +
  '\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n'

// RFC 8032, section 7.1, test 1: the private key as PKCS #8.
const rfcSeed = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60'
const rfcPublic = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'
const rfcKey = (): string => {
  const der = Buffer.from(`302e020100300506032b657004220420${rfcSeed}`, 'hex')
  return `-----BEGIN PRIVATE KEY-----\n${der.toString('base64')}\n-----END PRIVATE KEY-----\n`
}
const signer = ed25519Signer({ name: 'example.com/log', privateKey: rfcKey() })

describe('signed notes', () => {
  it('reads and trusts the note of the Go implementation with its key', async () => {
    const key = ed25519Verifier(goKey)
    const note = parseNote(goNote) as Note
    expect(note.signatures.map(({ name }) => name)).toEqual(['PeterNeumann'])
    expect(await judgeNote(note, [key])).toBe('trusted')
    expect(await judgeNote(parseNote(goNote.replace('answer', 'Answer')) as Note, [key])).toBe(
      'bad-signature',
    )
    expect(formatVerifierKey(key)).toBe(goKey)
  })

  it('signs as RFC 8032 says, with the key id of the C2SP rule', async () => {
    expect(Buffer.from(signer.publicKey).toString('hex')).toBe(rfcPublic)
    const note = await signNote('text\n', [signer])
    const [, , line = ''] = note.split('\n')
    const bytes = fromBase64(line.split(' ')[2] ?? '') as Uint8Array
    expect(bytes.slice(0, 4)).toEqual(keyId(signer.name, signer.publicKey))
    const spki = concat(Buffer.from('302a300506032b6570032100', 'hex'), signer.publicKey)
    const key = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' })
    expect(verify(null, utf8('text\n'), key, bytes.slice(4))).toBe(true)
  })

  it('reads back what it signed, whatever the text, several signatures included', async () => {
    const second = ed25519Signer({ name: 'witness.example', privateKey: rfcKey() })
    const text = fc
      .array(
        fc.string({ unit: 'grapheme' }).filter((line) => !/[\p{Cc}\ud800-\udfff]/u.test(line)),
        { minLength: 1 },
      )
      .map((lines) => `${lines.join('\n')}\n`)
    await fc.assert(
      fc.asyncProperty(text, async (signed) => {
        const note = parseNote(await signNote(signed, [signer, second])) as Note
        expect(note.text).toBe(signed)
        expect(await judgeNote(note, [signer])).toBe('trusted')
        expect(await judgeNote(note, [second])).toBe('trusted')
      }),
      { numRuns: 50 },
    )
  })

  it('ignores signatures by unknown keys, and those that share only a name or only an id with a known one', async () => {
    const note = parseNote(await signNote('text\n', [signer])) as Note
    const [signature] = note.signatures
    const renamed = { ...signature, name: 'example.com/other' } as Note['signatures'][number]
    const otherId = { ...signature, keyId: Uint8Array.of(1, 2, 3, 4) } as Note['signatures'][number]
    expect(await judgeNote({ ...note, signatures: [renamed, otherId] }, [signer])).toBe('unknown-key')
    expect(await judgeNote({ ...note, signatures: [renamed, ...note.signatures] }, [signer])).toBe('trusted')
  })

  it('accepts 16 signatures and refuses a flood', async () => {
    const [head, line] = [goNote.slice(0, goNote.lastIndexOf('\n\n') + 2), goNote.split('\n').at(-2)]
    expect(parseNote(`${head}${`${line}\n`.repeat(16)}`)?.signatures).toHaveLength(16)
    expect(parseNote(`${head}${`${line}\n`.repeat(1000)}`)).toBeUndefined()
  })

  it.each([
    ['no empty line', goNote.replace('\n\n', '\n')],
    ['no final newline', goNote.slice(0, -1)],
    ['no signature', 'text\n\n'],
    ['a control character', goNote.replace('answer', 'answer\r')],
    ['a hyphen for the dash', goNote.replace('\u2014', '-')],
    ['a name with a plus', goNote.replace('PeterNeumann x', 'Peter+Neumann x')],
    ['base64 that is not', goNote.replace('x08go', 'x08g*')],
    ['a third field', goNote.replace('=\n', '= more\n')],
  ])('takes nothing for a note that has %s', (_what, text) => {
    expect(parseNote(text)).toBeUndefined()
  })
})

describe('verifier keys', () => {
  it('are refused with the reason where they are not right', () => {
    const bad = (key: string) =>
      expect(() => parseVerifierKey(key)).toThrow(expect.objectContaining({ code: 'bad-key' }))
    bad('')
    bad('PeterNeumann')
    bad(goKey.replace('c74f20a3', 'c74f20a4'))
    bad(goKey.replace('PeterNeumann', 'Peter Neumann'))
    bad(goKey.replace('ARpc', 'Arpc'))
    bad(`${goKey}AA`)
    expect(parseVerifierKey(`${goKey}\n`).name).toBe('PeterNeumann')
  })
})
