import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Json } from './json.ts'

/** Seals what a client has to carry for us, so that it can neither read nor change nor use it elsewhere. */
export interface Sealer {
  /** `binding` is what the state is good for (method, subject, client); it is not stored. */
  seal(value: Json, binding: string): string
  /** The value; `undefined` where the text is not ours, was changed, is too old or is bound to something else. */
  open(text: string, binding: string): Json | undefined
}

const algorithm = 'aes-256-gcm'
const version = 'tn1.'

/**
 * Creates a sealer (AES-256-GCM; the binding is additional authenticated data). Without a key a random one is made,
 * which dies with the process: replicas that continue each other's calls share one.
 */
export function createSealer({
  key = randomBytes(32),
  lifetimeMs = 3_600_000,
  now = Date.now,
}: {
  /** 32 bytes. */
  readonly key?: Uint8Array
  readonly lifetimeMs?: number
  readonly now?: () => number
} = {}): Sealer {
  if (key.byteLength !== 32) throw new RangeError('A sealing key has 32 bytes')
  return {
    seal(value, binding) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(binding))
      const text = JSON.stringify({ at: now(), value })
      const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return version + sealed.toString('base64url')
    },
    open(text, binding) {
      if (!text.startsWith(version)) return undefined
      const bytes = Buffer.from(text.slice(version.length), 'base64url')
      if (bytes.byteLength < 12 + 16) return undefined
      try {
        const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, 12), { authTagLength: 16 })
          .setAAD(Buffer.from(binding))
          .setAuthTag(bytes.subarray(-16))
        const plain = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()])
        const { at, value } = JSON.parse(plain.toString('utf8')) as { at: number; value: Json }
        return now() - at <= lifetimeMs ? value : undefined
      } catch {
        return undefined
      }
    },
  }
}
