export { type FileStoreOptions, fileStore, nodeSha256, type SyncPolicy } from './lib/file/file-store.ts'
export {
  defaultSigningKeyPath,
  ed25519Signer,
  ed25519Verifier,
  openSigner,
} from './lib/file/signing-key.ts'
