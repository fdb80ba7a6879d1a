import * as crypto from 'node:crypto'
import type { Sha256 } from './merkle.ts'

type OneShotHash = (algorithm: string, data: Uint8Array, encoding: 'buffer') => Uint8Array
// Node 20.12 and later.
const oneShot = (crypto as unknown as { readonly hash?: OneShotHash }).hash

/** SHA-256 of node:crypto. */
export const nodeSha256: Sha256 = oneShot
  ? (data) => oneShot('sha256', data, 'buffer')
  : (data) => crypto.createHash('sha256').update(data).digest()
