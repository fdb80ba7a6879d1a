import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { emptyLock, formatLock } from '@truename/tool-registry'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { describe, expect, it } from 'vitest'
import { confirmLock, isConfirmed, placeOf } from './lock-confirmation.ts'

const text = formatLock(emptyLock)

/** A folder in which somebody approved the lock at a terminal. */
function confirmed(folder = temporaryFolder()) {
  mkdirSync(folder, { recursive: true })
  const [note, lock] = [join(folder, '.truename', 'confirmed.json'), join(folder, 'lock.json')]
  const of = { noteFile: note, lockFile: lock, place: placeOf(join(folder, 'truename.json')) }
  writeFileSync(lock, text)
  confirmLock(of, text)
  return { folder, note, lock, of, holds: () => isConfirmed(of, emptyLock) }
}

describe('the note that a person approved a lock', () => {
  it('holds for the file as it was written', () => {
    expect(confirmed().holds()).toBe(true)
  })

  it.each<[string, (paths: { note: string; lock: string }) => void]>([
    [
      'the same bytes came from elsewhere',
      ({ lock }) => {
        copyFileSync(lock, `${lock}.new`)
        renameSync(`${lock}.new`, lock)
      },
    ],
    ['the file is gone', ({ lock }) => rmSync(lock)],
    ['there is no note', ({ note }) => rmSync(note)],
    ['the note is damaged', ({ note }) => writeFileSync(note, readFileSync(note, 'utf8').slice(0, 20))],
    ['the note is no object', ({ note }) => writeFileSync(note, 'null')],
  ])('says nothing where %s', (_name, happens) => {
    const { note, lock, holds } = confirmed()
    happens({ note, lock })
    expect(holds()).toBe(false)
  })

  it('says nothing of another lock', () => {
    const { of } = confirmed()
    expect(isConfirmed(of, { ...emptyLock, extra: { other: true } })).toBe(false)
  })

  it.skipIf(process.platform === 'win32')(
    'holds for its own configuration alone, whatever links lead to it',
    () => {
      const root = temporaryFolder()
      const other = confirmed(join(root, 'other'))
      const mine = confirmed(join(root, 'mine'))
      const link = (from: string, to: string): void => {
        rmSync(from, { recursive: true })
        symlinkSync(to, from)
      }
      symlinkSync(mine.folder, join(root, 'also-mine'))
      const same = placeOf(join(root, 'also-mine', 'truename.json'))
      expect(isConfirmed({ ...mine.of, place: same }, emptyLock)).toBe(true)
      const second = placeOf(join(mine.folder, 'second.json'))
      expect(isConfirmed({ ...mine.of, place: second }, emptyLock)).toBe(false)

      link(mine.lock, other.lock)
      link(mine.note, other.note)
      expect([mine.holds(), other.holds()]).toEqual([false, true])
      link(mine.folder, other.folder)
      expect([mine.holds(), other.holds()]).toEqual([false, true])
    },
  )
})
