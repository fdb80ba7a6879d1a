import { generateKeyPairSync } from 'node:crypto'
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { describe, expect, it } from 'vitest'
import { toHex, utf8 } from '../bytes.ts'
import { formatVerifierKey } from '../note.ts'
import { defaultSigningKeyPath, ed25519Signer, ed25519Verifier, openSigner } from './signing-key.ts'

const name = 'log.example/decisions'

describe('the signing key file', () => {
  it('is made for its owner alone, and is the same key ever after', async () => {
    const path = join(temporaryFolder(), 'keys', 'log.pem')
    const first = await openSigner(path, { name })
    const second = await openSigner(path, { name })
    expect(toHex(second.publicKey)).toBe(toHex(first.publicKey))
    expect(await second.verify(utf8('x'), await first.sign(utf8('x')))).toBe(true)
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readFileSync(path, 'utf8')).toContain('BEGIN PRIVATE KEY')
  })

  it('is one key for all, when several processes make it at once', async () => {
    const path = join(temporaryFolder(), 'log.pem')
    const signers = await Promise.all(Array.from({ length: 8 }, () => openSigner(path, { name })))
    expect(new Set(signers.map(({ publicKey }) => toHex(publicKey))).size).toBe(1)
    expect(readdirSync(dirname(path))).toEqual(['log.pem'])
  })

  it('is refused where others can read it, or where it holds something else', async () => {
    const path = join(temporaryFolder(), 'log.pem')
    await openSigner(path, { name })
    if (process.platform !== 'win32') {
      chmodSync(path, 0o640)
      await expect(openSigner(path, { name })).rejects.toMatchObject({
        code: 'bad-key',
        message: expect.stringContaining('chmod 600'),
      })
      chmodSync(path, 0o600)
    }
    writeFileSync(path, 'not a key')
    await expect(openSigner(path, { name })).rejects.toMatchObject({ code: 'bad-key' })
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
    expect(() => ed25519Signer({ name, privateKey: rsa })).toThrow(
      expect.objectContaining({ code: 'bad-key' }),
    )
    expect(() => ed25519Signer({ name: 'with space', privateKey: rsa })).toThrow(
      expect.objectContaining({ code: 'bad-key' }),
    )
  })

  it('has a verifier key that says no to other signatures', async () => {
    const signer = await openSigner(join(temporaryFolder(), 'log.pem'), { name })
    const verifier = ed25519Verifier(formatVerifierKey(signer))
    const signature = await signer.sign(utf8('text'))
    expect(await verifier.verify(utf8('text'), signature)).toBe(true)
    expect(await verifier.verify(utf8('texts'), signature)).toBe(false)
    expect(await verifier.verify(utf8('text'), signature.with(3, (signature[3] as number) ^ 1))).toBe(false)
    expect(await verifier.verify(utf8('text'), new Uint8Array(3))).toBe(false)
  })

  it('lives outside of projects and logs by default', () => {
    expect(defaultSigningKeyPath({ XDG_CONFIG_HOME: '/cfg' }, 'linux')).toBe(
      '/cfg/truename/decision-log.key.pem',
    )
    expect(defaultSigningKeyPath({ XDG_CONFIG_HOME: 'relative' }, 'linux')).toMatch(/\.config.truename/)
    expect(defaultSigningKeyPath({ LOCALAPPDATA: '/Local' }, 'win32')).toMatch(/^.Local.truename/)
  })
})
