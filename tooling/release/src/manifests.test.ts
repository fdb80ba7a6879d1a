import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { filesBelow, members, published, root } from './workspace.ts'

describe.each(published().map(({ folder, manifest }) => [manifest.name, folder, manifest] as const))(
  '%s',
  (_name, folder, manifest) => {
    it('says what it is, under which licence, for which Node, and ships a README', () => {
      expect(manifest).toMatchObject({ license: 'MIT', engines: { node: '>=20.19' }, type: 'module' })
      expect(manifest.description?.length).toBeGreaterThan(20)
      expect(existsSync(join(folder, 'README.md'))).toBe(true)
    })

    it('has one file in src for each exports key or command, and everything else in src/lib', () => {
      const top = filesBelow(
        join(folder, 'src'),
        (path) => !path.includes('/') && /(?<!\.test|\.test-d|\.slow\.test)\.ts$/.test(path),
      )
      const keys = Object.keys(manifest.exports ?? {}).map((key) =>
        key === '.' ? 'index.ts' : `${key.slice(2)}.ts`,
      )
      const commands = Object.values(manifest.bin ?? {}).map((file) =>
        file.replace(/^dist\/(.+)\.js$/, '$1.ts'),
      )
      expect(top).toEqual([...keys, ...commands].sort())
    })

    it('asks for workspace packages by range, so that a fix does not bump every dependent', () => {
      const own = Object.entries(manifest.dependencies ?? {}).filter(([name]) =>
        name.startsWith('@truename/'),
      )
      expect(own.filter(([, range]) => range !== 'workspace:^')).toEqual([])
    })
  },
)

describe('source files', () => {
  it('hold one thing each: none is much longer than 300 lines', () => {
    const long = [...members('packages'), ...members('apps')].flatMap(({ folder }) =>
      filesBelow(join(folder, 'src'), (path) => path.endsWith('.ts') && !/\.(test|test-d)\.ts$/.test(path))
        .map((path) => join(folder, 'src', path))
        .filter((file) => lineCount(file) > 350)
        .map((file) => file.slice(root.length + 1)),
    )
    expect(long).toEqual([])
  })
})

describe('the README of the project', () => {
  it('names every package in its table', () => {
    const text = readText(join(root, 'README.md'))
    const missing = published().filter(
      ({ manifest }) => !text.includes(manifest.name.replace('@truename/', '')),
    )
    expect(missing.map(({ manifest }) => manifest.name)).toEqual([])
  })
})

function readText(file: string): string {
  return readFileSync(file, 'utf8')
}

function lineCount(file: string): number {
  return readText(file).split('\n').length
}
