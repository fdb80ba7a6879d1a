export { type FileStoreOptions, fileStore, type SyncPolicy } from './lib/file/file-store.ts'
export {
  defaultSigningKeyPath,
  ed25519Signer,
  ed25519Verifier,
  openSigner,
} from './lib/file/signing-key.ts'
export { nodeSha256 } from './lib/node-sha256.ts'
