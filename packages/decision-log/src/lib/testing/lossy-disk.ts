import { dirname } from 'node:path'
import type { Disk } from '../file/disk.ts'

interface LossyFile {
  bytes: Buffer
  /** How much of it a loss of power leaves. */
  synced: number
  /** Whether a loss of power leaves its name. */
  named: boolean
}

/** A disk on which everything that was not synced can be lost. */
export interface LossyDisk extends Disk {
  /** Loses what was not synced, but for a share of it (0 to 1), as a disk that was writing it would. */
  losePower(share: number): void
  /** From now on so many more bytes can be written; then the disk is full. */
  fill(bytes: number): void
  /** Whether cutting off a failed write fails too. */
  failTruncate: boolean
  /** Whether syncing fails. */
  failSync: boolean
  syncs: number
}

const noSpace = (): Error =>
  Object.assign(new Error('ENOSPC: no space left on device, write'), {
    code: 'ENOSPC',
    errno: -28,
    syscall: 'write',
  })

export function createLossyDisk(): LossyDisk {
  const files = new Map<string, LossyFile>()
  let room = Number.POSITIVE_INFINITY
  const disk: LossyDisk = {
    failTruncate: false,
    failSync: false,
    syncs: 0,
    async makeFolder() {},
    create(path) {
      if (files.has(path)) throw Object.assign(new Error(`EEXIST: ${path}`), { code: 'EEXIST' })
      const file: LossyFile = { bytes: Buffer.alloc(0), synced: 0, named: false }
      files.set(path, file)
      return {
        write(bytes) {
          const taken = Math.min(bytes.length, room)
          if (taken === 0) throw noSpace()
          room -= taken
          file.bytes = Buffer.concat([file.bytes, bytes.subarray(0, taken)])
          return taken
        },
        async sync() {
          const length = file.bytes.length
          await Promise.resolve()
          if (disk.failSync) throw new Error('EIO: i/o error, fsync')
          disk.syncs += 1
          file.synced = Math.max(file.synced, length)
        },
        truncate(length) {
          if (disk.failTruncate) throw new Error('EPERM: operation not permitted, ftruncate')
          file.bytes = file.bytes.subarray(0, length)
        },
        close() {},
      }
    },
    async syncFolder(folder) {
      for (const [path, file] of files) if (dirname(path) === folder) file.named = true
    },
    async list(folder) {
      return [...files.keys()]
        .filter((path) => dirname(path) === folder)
        .map((path) => path.slice(folder.length + 1))
    },
    async *read(path) {
      const bytes = files.get(path)?.bytes ?? Buffer.alloc(0)
      if (bytes.length > 0) yield bytes
    },
    async readText(path) {
      return files.get(path)?.bytes.toString('utf8') ?? ''
    },
    losePower(share) {
      for (const [path, file] of files) {
        if (!file.named) files.delete(path)
        else {
          const kept = file.synced + Math.floor((file.bytes.length - file.synced) * share)
          file.bytes = file.bytes.subarray(0, kept)
        }
      }
    },
    fill(bytes) {
      room = bytes
    },
  }
  return disk
}
