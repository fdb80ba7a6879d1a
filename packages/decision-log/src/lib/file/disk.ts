import { closeSync, createReadStream, fsync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { mkdir, open, readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/** A file that is only ever added to. */
export interface DiskFile {
  /** Hands bytes to the operating system; may take fewer than it is given. Returns how many. */
  write(bytes: Uint8Array): number
  /** Makes what was written survive a loss of power. */
  sync(): Promise<void>
  /** Cuts off what a failed write left. */
  truncate(length: number): void
  close(): void
}

/** What the file store needs of a disk; another one stands in where tests take the power away. */
export interface Disk {
  makeFolder(folder: string): Promise<void>
  /** Makes a new file for adding to; an error if there is one of that name. */
  create(path: string): DiskFile
  /** Makes the names in a folder survive a loss of power. */
  syncFolder(folder: string): Promise<void>
  list(folder: string): Promise<readonly string[]>
  read(path: string): AsyncIterable<Uint8Array>
  readText(path: string): Promise<string>
}

const fsyncFile = promisify(fsync)
const chunkBytes = 1024 * 1024

const isMissing = (error: unknown): boolean => (error as { code?: string }).code === 'ENOENT'

/**
 * The disk of this machine. Writing to the page cache is done at once, not on the thread pool: it takes a few
 * microseconds, where a round trip through the pool takes tens. Syncing waits for the disk, and never blocks.
 */
export const localDisk: Disk = {
  async makeFolder(folder) {
    await mkdir(folder, { recursive: true, mode: 0o700 })
  },
  create(path) {
    const file = openSync(path, 'ax', 0o600)
    return {
      write: (bytes) => writeSync(file, bytes),
      sync: () => fsyncFile(file),
      truncate: (length) => ftruncateSync(file, length),
      close: () => closeSync(file),
    }
  },
  async syncFolder(folder) {
    // Windows has no such thing as syncing a folder.
    if (process.platform === 'win32') return
    const handle = await open(folder, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  },
  async list(folder) {
    try {
      return await readdir(folder)
    } catch (error) {
      if (isMissing(error)) return []
      throw error
    }
  },
  read: (path) => createReadStream(path, { highWaterMark: chunkBytes }),
  async readText(path) {
    try {
      return await readFile(path, 'utf8')
    } catch (error) {
      if (isMissing(error)) return ''
      throw error
    }
  },
}
