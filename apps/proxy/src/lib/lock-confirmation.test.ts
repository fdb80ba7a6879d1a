import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyLock, formatLock } from '@truename/tool-registry'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { describe, expect, it } from 'vitest'
import { confirmLock, isConfirmed } from './lock-confirmation.ts'

const text = formatLock(emptyLock)

function confirmed(): { note: string; lock: string; holds: () => boolean } {
  const folder = temporaryFolder()
  const [note, lock] = [join(folder, '.truename', 'confirmed.json'), join(folder, 'lock.json')]
  writeFileSync(lock, text)
  confirmLock(note, lock, text)
  return { note, lock, holds: () => isConfirmed(note, lock, emptyLock) }
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
    const { note, lock } = confirmed()
    expect(isConfirmed(note, lock, { ...emptyLock, extra: { other: true } })).toBe(false)
  })
})
