import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { describe, expect, it } from 'vitest'
import { shop, truename, writeConfig } from './programs.ts'

const lines = (text: string): readonly string[] => text.trim().split('\n')

describe('a damaged lock gets one clear line', () => {
  it('when the lock does not parse: it is left as it was', async () => {
    const folder = temporaryFolder()
    writeConfig(folder, { 'shop-a': shop('shop-a') })
    const file = join(folder, 'truename.lock.json')
    for (const text of ['{ "lockVersion": 1, ', '<<<<<<< HEAD\n{}\n', '{"lockVersion":99,"servers":{}}']) {
      writeFileSync(file, text)
      for (const command of [['serve'], ['lock', '--yes'], ['verify']]) {
        const { code, stderr } = await truename(folder, ...command)
        expect(code).toBe(2)
        expect(lines(stderr)).toHaveLength(1)
        expect(stderr).toContain(file)
        expect(readFileSync(file, 'utf8')).toBe(text)
      }
    }
  })

  it('when a merge of the lock is unresolved: it is made anew, compared with our side', async () => {
    const folder = temporaryFolder()
    writeConfig(folder, { 'shop-a': shop('shop-a') })
    expect((await truename(folder, 'lock', '--yes')).code).toBe(0)
    const file = join(folder, 'truename.lock.json')
    const text = readFileSync(file, 'utf8')
    const [first, ...rest] = text.split('\n')
    writeFileSync(
      file,
      [first, '<<<<<<< ours', rest[0], '=======', '  "theirs": 1,', '>>>>>>> theirs', ...rest.slice(1)].join(
        '\n',
      ),
    )
    expect((await truename(folder, 'verify')).code).toBe(2)
    const { code, stderr } = await truename(folder, 'lock', '--yes')
    expect(code, stderr).toBe(0)
    expect(stderr).toContain('shop-a: as it was approved')
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  it('when an entry of the lock was edited by hand: it says which one no longer adds up', async () => {
    const folder = temporaryFolder()
    writeConfig(folder, { 'shop-a': shop('shop-a') })
    expect((await truename(folder, 'lock', '--yes')).code).toBe(0)
    const file = join(folder, 'truename.lock.json')
    const edited = readFileSync(file, 'utf8').replace(/("description": ")/, '$1Better. ')
    writeFileSync(file, edited)
    const { code, stderr } = await truename(folder, 'verify')
    expect(code).toBe(2)
    expect(stderr).toMatch(/tools.*search/)
    expect(readFileSync(file, 'utf8')).toBe(edited)
  })
})
