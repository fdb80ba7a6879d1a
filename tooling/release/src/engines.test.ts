import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import semver from 'semver'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { root } from './workspace.ts'

interface Importer {
  readonly dependencies?: Readonly<Record<string, { readonly version: string }>>
  readonly devDependencies?: Readonly<Record<string, { readonly version: string }>>
}
interface LockFile {
  readonly importers: Readonly<Record<string, Importer>>
  readonly packages: Readonly<Record<string, { readonly engines?: { readonly node?: string } }>>
  readonly snapshots: Readonly<Record<string, { readonly dependencies?: Readonly<Record<string, string>> }>>
}

const lock = parse(readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8')) as LockFile
const oldest = '20.19.0'

/** Only tests use these; they run on Node 20 although they, or what they bring along, ask for more. */
const exempt = new Set(['@modelcontextprotocol/inspector', '@modelcontextprotocol/conformance'])

function* reachable(importer: string): Iterable<string> {
  const entry = lock.importers[importer]
  const seen = new Set<string>()
  const queue = Object.entries({ ...entry?.dependencies, ...entry?.devDependencies }).map(
    ([name, { version }]) => [name, version],
  )
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const [name, version] = next as [string, string]
    if (version.startsWith('link:')) continue
    const key = lock.snapshots[version] ? version : `${name}@${version}`
    if (seen.has(key)) continue
    seen.add(key)
    if (exempt.has(name)) continue
    yield key
    queue.push(...Object.entries(lock.snapshots[key]?.dependencies ?? {}))
  }
}

describe('the installed packages', () => {
  it.each(Object.keys(lock.importers))('%s: all run on the oldest supported Node', (importer) => {
    const unfit = [...reachable(importer)].filter((key) => {
      const node = lock.packages[key.replace(/\(.*$/, '')]?.engines?.node
      return node !== undefined && !semver.satisfies(oldest, node)
    })
    expect(unfit).toEqual([])
  })

  it('come without addresses, so that the lock file is good behind any registry', () => {
    expect(readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8')).not.toMatch(/https?:\/\/|tarball:/)
  })
})
