import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pack, runIn, writeConsumer, writeReadmeExamples } from './pack.ts'
import { members, published, root } from './workspace.ts'

const scratch = mkdtempSync(join(tmpdir(), 'truename-pack-'))
const tarballs = new Map<string, string>()
const listing = new Map<string, readonly string[]>()

beforeAll(async () => {
  for (const member of published()) {
    const tarball = await pack(member, join(scratch, 'tarballs'))
    tarballs.set(member.manifest.name, tarball)
    const files = (await runIn(scratch, 'tar', ['-tzf', tarball])).trim().split('\n')
    listing.set(member.manifest.name, files.map((file) => file.replace(/^package\//, '')).sort())
  }
}, 300_000)

afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const rows = published().map((member) => [member.manifest.name, member] as const)

describe.each(rows)('the tarball of %s', (name, member) => {
  const data = () => readFileSync(tarballs.get(name) as string)

  it('holds what is built, the README, the licence and nothing else', () => {
    const other = (listing.get(name) ?? []).filter(
      (file) =>
        !/^(dist\/.+|package\.json|README\.md|LICENSE|CHANGELOG\.md)$/.test(file) || /\.test\./.test(file),
    )
    expect(other).toEqual([])
    expect(listing.get(name)).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']))
  })

  it('passes publint', async () => {
    const bytes = data()
    const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer
    const { messages, pkg } = await publint({ pack: { tarball }, strict: true })
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
  })

  it('installs alone into an empty project, imports, typechecks, and its README examples run', async () => {
    const consumer = join(scratch, 'consumers', name.replace('/', '-'))
    writeConsumer(consumer, name, tarballs)
    await runIn(consumer, 'npm', [
      'install',
      '--no-audit',
      '--no-fund',
      '--prefer-offline',
      '--loglevel=error',
    ])

    for (const command of Object.keys(member.manifest.bin ?? {})) {
      expect(await runIn(consumer, join(consumer, 'node_modules', '.bin', command), ['--help'])).toContain(
        command,
      )
    }
    const keys = Object.keys(member.manifest.exports ?? {})
    if (keys.length === 0) return

    const imports = keys.map((key) => `await import('${key.replace('.', name)}')`)
    const optional = Object.keys(member.manifest.peerDependencies ?? {})
    if (optional.length > 0) {
      await runIn(consumer, 'npm', [
        'install',
        '--no-audit',
        '--no-fund',
        '--prefer-offline',
        '--loglevel=error',
        ...optional,
        ...optional.map((peer) => `@types/${peer}`),
      ])
    }
    writeFileSync(
      join(consumer, 'imports.mjs'),
      `for (const module of [${imports.join(', ')}]) if (Object.keys(module).length === 0) throw new Error('an empty module')\n`,
    )
    await runIn(consumer, process.execPath, ['imports.mjs'])

    const { sources, programs } = writeReadmeExamples(consumer, name)
    expect(sources.length).toBeGreaterThan(0)
    const types = existsSync(join(root, 'node_modules', '@types', 'node')) ? ['node'] : []
    writeFileSync(
      join(consumer, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          target: 'ES2022',
          lib: ['ES2023', 'DOM', 'DOM.Iterable'],
          module: 'NodeNext',
          strict: true,
          noEmit: true,
          skipLibCheck: false,
          types,
          typeRoots: [join(root, 'node_modules', '@types')],
        },
        files: sources,
      }),
    )
    await runIn(consumer, join(root, 'node_modules', '.bin', 'tsc'), ['-p', '.'])
    for (const program of programs) await runIn(consumer, process.execPath, [program])
  })
})

describe.each(rows.filter(([, { manifest }]) => manifest.exports))(
  'the types in the tarball of %s',
  (name) => {
    it('resolve wherever ES modules do', async () => {
      const result = await checkPackage(
        createPackageFromTarballData(readFileSync(tarballs.get(name) as string)),
      )
      const problems = result.types ? result.problems : [{ kind: 'NoTypes' }]
      // We publish ES modules alone; what only concerns CommonJS resolution is not asked for.
      const commonJs = new Set(['CJSResolvesToESM'])
      const modern = problems.filter(
        (problem) =>
          !commonJs.has(problem.kind) &&
          !('resolutionKind' in problem && problem.resolutionKind === 'node10'),
      )
      expect(modern).toEqual([])
    })
  },
)

describe('the set of published packages', () => {
  it('is every package and application', () => {
    const all = [...members('packages'), ...members('apps')].map(({ manifest }) => manifest.name)
    expect([...tarballs.keys()].sort()).toEqual(all.sort())
  })
})
