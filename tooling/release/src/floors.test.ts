import { readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { floors } from './floors.ts'
import { findCycle, forbiddenImports, specifiersOf } from './imports.ts'
import { filesBelow, members, root } from './workspace.ts'

const folders = [...members('packages'), ...members('apps')].map(({ folder }) =>
  folder.slice(root.length + 1).replaceAll('\\', '/'),
)

const sourcesOf = (folder: string) =>
  filesBelow(join(root, folder, 'src'), (path) => path.endsWith('.ts') && !/\.test(-d)?\.ts$/.test(path)).map(
    (path) => [`src/${path}`, readFileSync(join(root, folder, 'src', path), 'utf8')] as const,
  )

describe('the floors', () => {
  it('have a rule for every package and application, and no other', () => {
    expect(Object.keys(floors).sort()).toEqual([...folders].sort())
  })

  it.each(folders)('%s imports only what lies below it', (folder) => {
    const rule = floors[folder]
    if (!rule) throw new Error(`${folder} has no rule`)
    const sources = new Map<string, string>(sourcesOf(folder))
    const graph = graphOf(sources)
    const entries = [...sources.keys()].filter((file) => !file.startsWith('src/lib/'))
    const shipped = new Set(entries.flatMap((entry) => [...reach(graph, entry)]))
    // What only a Node entry reaches may use Node too.
    const nodeEntries = typeof rule.node === 'object' ? rule.node : []
    const browser = new Set(
      entries.filter((entry) => !nodeEntries.includes(entry)).flatMap((entry) => [...reach(graph, entry)]),
    )
    const own = {
      ...rule,
      node: typeof rule.node === 'object' ? [...shipped].filter((file) => !browser.has(file)) : rule.node,
    }
    const found = [...shipped].flatMap((file) => forbiddenImports(file, sources.get(file) ?? '', own))
    expect(found).toEqual([])
  })

  it.each(folders)('%s ships every source file that is not for its tests', (folder) => {
    const sources = new Map<string, string>(sourcesOf(folder))
    const graph = graphOf(sources)
    const entries = [...sources.keys()].filter((file) => !file.startsWith('src/lib/'))
    const shipped = new Set(entries.flatMap((entry) => [...reach(graph, entry)]))
    const lost = [...sources.keys()].filter(
      (file) => !shipped.has(file) && !file.startsWith('src/lib/testing/'),
    )
    expect(lost).toEqual([])
    expect([...shipped].filter((file) => file.startsWith('src/lib/testing/'))).toEqual([])
  })

  it.each(folders)('%s has no import cycle', (folder) => {
    expect(
      findCycle(graphOf(new Map<string, string>(sourcesOf(folder)), { withTypes: false })),
    ).toBeUndefined()
  })
})

describe('the import check', () => {
  const rule = { workspace: ['uri-codec'], external: ['zod'], node: false } as const

  it('finds an import upwards, a foreign package, a Node module and a missing extension', () => {
    const source = [
      "import { parseTemplate } from '@truename/uri-codec'",
      "import { connect } from '@truename/sdk-v2'",
      "import { z } from 'zod'",
      "export { x } from 'left-pad'",
      "import { readFile } from 'node:fs/promises'",
      "import type { A } from './a'",
      "const late = import('@modelcontextprotocol/client')",
    ].join('\n')
    expect(
      forbiddenImports('src/index.ts', source, rule).map(({ line, specifier }) => `${line} ${specifier}`),
    ).toEqual([
      '2 @truename/sdk-v2',
      '4 left-pad',
      '5 node:fs/promises',
      '6 ./a',
      '7 @modelcontextprotocol/client',
    ])
  })

  it('finds a cycle through three files', () => {
    const graph = new Map([
      ['a.ts', ['b.ts']],
      ['b.ts', ['c.ts']],
      ['c.ts', ['a.ts']],
    ])
    expect(findCycle(graph)).toEqual(['a.ts', 'b.ts', 'c.ts', 'a.ts'])
  })
})

/** Which files a file imports. Type imports count for what is shipped, and not for cycles: they vanish. */
function graphOf(
  sources: ReadonlyMap<string, string>,
  { withTypes } = { withTypes: true },
): ReadonlyMap<string, readonly string[]> {
  return new Map(
    [...sources].map(([file, source]) => {
      const text = withTypes ? source : source.replaceAll(/^(import|export) type [^;]*?from '[^']+'/gms, '')
      const relative = specifiersOf(text).filter(({ specifier }) => specifier.startsWith('.'))
      return [file, relative.map(({ specifier }) => posix.join(dirname(file), specifier))]
    }),
  )
}

function reach(graph: ReadonlyMap<string, readonly string[]>, from: string): ReadonlySet<string> {
  const seen = new Set<string>()
  const queue = [from]
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (seen.has(file) || !graph.has(file)) continue
    seen.add(file)
    queue.push(...(graph.get(file) ?? []))
  }
  return seen
}
