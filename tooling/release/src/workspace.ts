import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

/** The folder of the whole project. */
export const root = join(import.meta.dirname, '..', '..', '..')

/** The members of a `package.json` that the checks read. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly license?: string
  readonly description?: string
  readonly exports?: Readonly<Record<string, unknown>>
  readonly bin?: Readonly<Record<string, string>>
  readonly files?: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** One package or application of the workspace. */
export interface Member {
  readonly folder: string
  readonly manifest: Manifest
}

const read = (folder: string): Member => ({
  folder,
  manifest: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest,
})

/** The members below one of the workspace's folders. */
export const members = (kind: 'packages' | 'apps' | 'tooling'): readonly Member[] =>
  readdirSync(join(root, kind))
    .map((name) => join(root, kind, name))
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .map(read)

/** Everything that is published: all packages and those applications that have a command. */
export const published = (): readonly Member[] =>
  [...members('packages'), ...members('apps')].filter(({ manifest }) => manifest.private !== true)

/** The files below a folder whose path passes a test, relative to the folder, with forward slashes. */
export function filesBelow(folder: string, wanted: (path: string) => boolean): readonly string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !/(^|\/)(node_modules|dist|\.readme)\//.test(path) && wanted(path))
    .sort()
}
