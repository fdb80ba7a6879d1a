import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from 'node:crypto'
import { link, mkdir, open, readFile, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { DecisionLogError } from '../errors.ts'
import { isKeyName, parseVerifierKey, type Signer, type Verifier } from '../note.ts'

// The fixed beginning of an Ed25519 key in SubjectPublicKeyInfo (RFC 8410, section 4).
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex')

const checkName = (name: string): void => {
  if (isKeyName(name)) return
  throw new DecisionLogError('bad-key', `A key's name must not be empty or have spaces or plus signs.`, {
    name,
  })
}

/** Checks signatures of an Ed25519 key, given as its verifier key (`name+id+base64`) or as name and 32 bytes. */
export function ed25519Verifier(key: string | Pick<Verifier, 'name' | 'publicKey'>): Verifier {
  const { name, publicKey } = typeof key === 'string' ? parseVerifierKey(key) : key
  checkName(name)
  const object = createPublicKey({ key: Buffer.concat([spkiPrefix, publicKey]), format: 'der', type: 'spki' })
  return { name, publicKey, verify: (message, signature) => verify(null, message, object, signature) }
}

/**
 * Signs with an Ed25519 private key, given as a KeyObject or as PKCS #8 PEM.
 * @throws DecisionLogError `bad-key` where it is another kind of key
 */
export function ed25519Signer(options: {
  readonly name: string
  readonly privateKey: KeyObject | string
}): Signer {
  const { name } = options
  checkName(name)
  let privateKey: KeyObject
  try {
    privateKey =
      typeof options.privateKey === 'string' ? createPrivateKey(options.privateKey) : options.privateKey
  } catch (error) {
    throw new DecisionLogError(
      'bad-key',
      'The signing key is not a private key in PEM form.',
      { name },
      error,
    )
  }
  if (privateKey.type !== 'private' || privateKey.asymmetricKeyType !== 'ed25519')
    throw new DecisionLogError('bad-key', 'The signing key is not an Ed25519 private key.', { name })
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
  const publicKey = new Uint8Array(spki.subarray(spkiPrefix.length))
  return {
    ...ed25519Verifier({ name, publicKey }),
    sign: (message) => new Uint8Array(sign(null, message, privateKey)),
  }
}

/**
 * Where the signing key of a user lives unless an application says otherwise: outside of every log and every
 * project, so that who can write to a log, or copies it, does not have the key with it.
 */
export function defaultSigningKeyPath(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  platform: string = process.platform,
): string {
  const file = 'decision-log.key.pem'
  if (platform === 'win32')
    return join(environment.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'), 'truename', file)
  const config = environment.XDG_CONFIG_HOME
  return join(config?.startsWith('/') ? config : join(homedir(), '.config'), 'truename', file)
}

/**
 * The signer of a key file; the file is made, readable for its owner alone, where there is none yet. Several
 * processes may do this at once: one key wins, and all get it.
 * @throws DecisionLogError `bad-key` where the file holds something else, or others may read it
 */
export async function openSigner(path: string, options: { readonly name: string }): Promise<Signer> {
  checkName(options.name)
  const existing = await readKey(path)
  if (existing !== undefined) return ed25519Signer({ ...options, privateKey: existing })
  const { privateKey } = generateKeyPairSync('ed25519')
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
  try {
    const file = await open(temporary, 'wx', 0o600)
    try {
      await file.writeFile(privateKey.export({ format: 'pem', type: 'pkcs8' }))
      await file.sync()
    } finally {
      await file.close()
    }
    // A link, unlike a rename, never takes the place of a key that another process has just made.
    await link(temporary, path)
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
  } finally {
    await rm(temporary, { force: true })
  }
  return ed25519Signer({ ...options, privateKey: (await readKey(path)) ?? '' })
}

async function readKey(path: string): Promise<string | undefined> {
  try {
    const file = await open(path, 'r')
    try {
      const { mode } = await file.stat()
      if (process.platform !== 'win32' && (mode & 0o077) !== 0)
        throw new DecisionLogError(
          'bad-key',
          `${path} can be read by others (mode ${(mode & 0o777).toString(8)}). Make it yours alone: chmod 600.`,
          { path },
        )
      return await readFile(file, 'utf8')
    } finally {
      await file.close()
    }
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined
    throw error
  }
}
