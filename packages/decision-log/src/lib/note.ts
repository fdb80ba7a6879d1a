import { concat, fromBase64, sameBytes, toBase64, utf8 } from './bytes.ts'
import { DecisionLogError } from './errors.ts'
import { sha256 } from './merkle.ts'

/** Checks Ed25519 signatures of one key. */
export interface Verifier {
  /** The key's name in a note (C2SP signed-note): not empty, no spaces, no plus. */
  readonly name: string
  /** The 32 bytes of the public key (RFC 8032). */
  readonly publicKey: Uint8Array
  verify(message: Uint8Array, signature: Uint8Array): boolean | Promise<boolean>
}

/** Makes Ed25519 signatures. The private key stays with whoever made the signer. */
export interface Signer extends Verifier {
  sign(message: Uint8Array): Uint8Array | Promise<Uint8Array>
}

/** One signature line of a note. */
export interface NoteSignature {
  readonly name: string
  /** The 32-bit key id. */
  readonly keyId: Uint8Array
  readonly signature: Uint8Array
}

/** A note taken apart; nothing in it is trusted yet. */
export interface Note {
  /** The signed text, with its final newline. */
  readonly text: string
  readonly signatures: readonly NoteSignature[]
}

const ed25519Type = 1
const maximumSignatures = 64
const signatureStart = '\u2014 '

export const isKeyName = (name: string): boolean => name !== '' && !/[\s+]/u.test(name)

/** `SHA-256(name || 0x0A || 0x01 || public key)[:4]` (C2SP signed-note, "Signature types"). */
export function keyId(name: string, publicKey: Uint8Array): Uint8Array {
  return sha256(concat(utf8(`${name}\n`), Uint8Array.of(ed25519Type), publicKey)).slice(0, 4)
}

/** The text form of a public key: `name+hex(key id)+base64(0x01 || key)`, as the note tools of Go read it. */
export function formatVerifierKey(key: Pick<Verifier, 'name' | 'publicKey'>): string {
  const id = [...keyId(key.name, key.publicKey)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${key.name}+${id}+${toBase64(concat(Uint8Array.of(ed25519Type), key.publicKey))}`
}

/**
 * Reads a verifier key.
 * @throws DecisionLogError `bad-key` where it is not one, or its id is not the key's
 */
export function parseVerifierKey(text: string): Pick<Verifier, 'name' | 'publicKey'> {
  const bad = (why: string): DecisionLogError =>
    new DecisionLogError('bad-key', `Not a verifier key (name+id+base64): ${why}.`, { key: text })
  const [name = '', id = '', ...rest] = text.trim().split('+')
  const bytes = fromBase64(rest.join('+'))
  if (!isKeyName(name)) throw bad('the name is empty or has a space')
  if (bytes?.length !== 33 || bytes[0] !== ed25519Type) throw bad('the key is not an Ed25519 public key')
  const publicKey = bytes.slice(1)
  const key = { name, publicKey }
  if (!formatVerifierKey(key).startsWith(`${name}+${id}+`)) throw bad('the id does not belong to the key')
  return key
}

/** Takes a note apart; `undefined` where it is not one. */
export function parseNote(note: string): Note | undefined {
  const controls = [...note].some((character) => character < ' ' && character !== '\n')
  const split = note.lastIndexOf('\n\n')
  if (controls || split < 0 || !note.endsWith('\n')) return undefined
  const lines = note.slice(split + 2, -1).split('\n')
  if (lines.length > maximumSignatures) return undefined
  const signatures: NoteSignature[] = []
  for (const line of lines) {
    const [name, encoded, ...more] = line.slice(signatureStart.length).split(' ')
    const bytes = fromBase64(encoded ?? '')
    if (!line.startsWith(signatureStart) || more.length > 0 || !bytes || bytes.length < 5) return undefined
    if (name === undefined || !isKeyName(name)) return undefined
    signatures.push({ name, keyId: bytes.slice(0, 4), signature: bytes.slice(4) })
  }
  return { text: note.slice(0, split + 1), signatures }
}

/** Signs a text that ends in a newline. */
export async function signNote(text: string, signers: readonly Signer[]): Promise<string> {
  let note = `${text}\n`
  for (const signer of signers) {
    const signature = await signer.sign(utf8(text))
    note += `${signatureStart}${signer.name} ${toBase64(concat(keyId(signer.name, signer.publicKey), signature))}\n`
  }
  return note
}

/**
 * Whether a note can be trusted: at least one signature is by a known key, and every signature by a known key is
 * right. Signatures of unknown keys are ignored, as the format demands.
 */
export async function judgeNote(
  note: Note,
  known: readonly Verifier[],
): Promise<'trusted' | 'unknown-key' | 'bad-signature'> {
  let trusted = false
  for (const { name, keyId: id, signature } of note.signatures) {
    for (const key of known) {
      if (key.name !== name || !sameBytes(keyId(key.name, key.publicKey), id)) continue
      if (!(await key.verify(utf8(note.text), signature))) return 'bad-signature'
      trusted = true
    }
  }
  return trusted ? 'trusted' : 'unknown-key'
}
