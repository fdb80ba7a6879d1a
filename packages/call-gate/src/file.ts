import { type Approvals, type ApprovalsOptions, createApprovals } from './lib/approvals.ts'
import { createFileStore, type FileStoreOptions } from './lib/file-store.ts'

export { FileLockError } from './lib/file-lock.ts'
export {
  ApprovalFileError,
  type ApprovalSeal,
  createFileStore,
  type FileStoreOptions,
} from './lib/file-store.ts'

/**
 * Approvals in one file, shared by all processes of this machine that name it.
 *
 * Its operations reject with {@link ApprovalFileError} where the file is not one of approvals, and with
 * {@link FileLockError} where another process keeps it locked.
 */
export const fileApprovals = (file: string, options: ApprovalsOptions & FileStoreOptions = {}): Approvals =>
  createApprovals(createFileStore(file, options), options)
