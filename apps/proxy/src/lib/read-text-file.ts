import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs'
import { CommandError } from './command-error.ts'

/** Refuses what is no UTF-8: replaced characters would make other names of names. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Opening a pipe would wait for whoever writes to it, and a terminal would become that of this process. */
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)

/**
 * Reads a file that somebody named. Never waits: what is no file (a pipe, a device, a folder) is not read.
 *
 * @throws CommandError `file-unreadable`, naming the file and why it cannot be read
 */
export function readTextFile(file: string, remedy: string): string {
  const unreadable = (what: string) => new CommandError('file-unreadable', { what, where: file, remedy })
  let bytes: Buffer
  try {
    const handle = openSync(file, flags)
    try {
      const stats = fstatSync(handle)
      if (stats.isDirectory()) throw unreadable('is a folder, not a file')
      if (!stats.isFile()) throw unreadable('is a pipe or a device, not a file')
      bytes = readFileSync(handle)
    } finally {
      closeSync(handle)
    }
  } catch (error) {
    if (error instanceof CommandError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    throw unreadable(code === 'ENOENT' ? 'there is no such file' : message)
  }
  try {
    return decoder.decode(bytes)
  } catch {
    throw unreadable('is no UTF-8 text')
  }
}

/** Whether reading this would wait for somebody: a pipe, a terminal or another device stands there. */
export function isPipe(file: string): boolean {
  try {
    const stats = statSync(file)
    return !stats.isFile() && !stats.isDirectory()
  } catch {
    return false
  }
}

/** Whether there is nothing under this name. What is there and cannot be looked at is no missing file. */
export function isMissing(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}
