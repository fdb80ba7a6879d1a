import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { describe, expect, it } from 'vitest'
import { changedPaths, indexFolder } from './folder-index.ts'

const put = (folder: string, path: string, text = path): void => {
  mkdirSync(join(folder, path, '..'), { recursive: true })
  writeFileSync(join(folder, path), text)
}
const paths = async (folder: string) => [...(await indexFolder(folder)).files.keys()]

describe('the index of a folder', () => {
  it('lists files at every depth by their path, slashes between its parts', async () => {
    const folder = temporaryFolder()
    for (const path of ['b.txt', 'a/季度报告/x.txt', 'a/z.txt']) put(folder, path)
    expect(await paths(folder)).toEqual(['a/z.txt', 'a/季度报告/x.txt', 'b.txt'])
  })

  it('leaves out hidden files and everything in hidden folders', async () => {
    const folder = temporaryFolder()
    for (const path of ['.env', '.git/config', 'a/.secret', 'v1..v2']) put(folder, path)
    expect(await paths(folder)).toEqual(['v1..v2'])
  })

  it('follows links that stay inside and no others', async () => {
    const outside = temporaryFolder()
    put(outside, 'secret.txt')
    const folder = temporaryFolder()
    put(folder, 'docs/a.txt')
    symlinkSync(join(folder, 'docs/a.txt'), join(folder, 'inside.txt'))
    symlinkSync(join(outside, 'secret.txt'), join(folder, 'outside.txt'))
    symlinkSync(outside, join(folder, 'way-out'))
    symlinkSync(join(folder, 'nothing'), join(folder, 'dangling'))
    symlinkSync(folder, join(folder, 'docs/circle'))
    expect(await paths(folder)).toEqual(['docs/a.txt', 'inside.txt'])
  })

  it('does not take a folder whose name begins like its own for inside', async () => {
    const parent = temporaryFolder()
    put(parent, 'docs-private/secret.txt')
    put(parent, 'docs/a.txt')
    symlinkSync(join(parent, 'docs-private/secret.txt'), join(parent, 'docs/link.txt'))
    expect(await paths(join(parent, 'docs'))).toEqual(['a.txt'])
  })

  it('stops at its limits and says so', async () => {
    const folder = temporaryFolder()
    for (const path of ['a', 'b', 'c']) put(folder, path)
    expect(await indexFolder(folder, { maxFiles: 3 })).toMatchObject({ truncated: false })
    const index = await indexFolder(folder, { maxFiles: 2 })
    expect([index.files.size, index.truncated]).toEqual([2, true])
    put(folder, 'd/e/f')
    expect(await indexFolder(folder, { maxDepth: 2 })).toMatchObject({ truncated: true })
  })

  it('tells what was added, written and removed', async () => {
    const folder = temporaryFolder()
    for (const path of ['same', 'written', 'removed']) put(folder, path)
    const before = await indexFolder(folder)
    put(folder, 'written', 'other')
    put(folder, 'added')
    rmSync(join(folder, 'removed'))
    expect([...changedPaths(before, await indexFolder(folder))].sort()).toEqual([
      'added',
      'removed',
      'written',
    ])
  })
})
