import * as crypto from 'node:crypto'
import type { Sha256 } from './merkle.ts'

type OneShotHash = (algorithm: string, data: Uint8Array, encoding: 'latin1' | 'hex') => string
// Node 20.12 and later.
const oneShot = (crypto as unknown as { readonly hash?: OneShotHash }).hash

const length = 32

// Asked for a buffer, the one-shot function takes three times as long as for a text of as many characters.
const hashAtOnce =
  (hash: OneShotHash) =>
  (data: Uint8Array): Uint8Array => {
    const text = hash('sha256', data, 'latin1')
    const bytes = new Uint8Array(length)
    for (let at = 0; at < length; at += 1) bytes[at] = text.charCodeAt(at)
    return bytes
  }

/** SHA-256 of node:crypto. */
export const nodeSha256: Sha256 = oneShot
  ? Object.assign(hashAtOnce(oneShot), { hex: (data: Uint8Array) => oneShot('sha256', data, 'hex') })
  : (data) => crypto.createHash('sha256').update(data).digest()
