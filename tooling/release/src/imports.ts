import ts from 'typescript'

/** What a folder of sources may import. */
export interface ImportRule {
  /** Packages of the workspace, without the scope. */
  readonly workspace: readonly string[]
  /** Packages from outside. */
  readonly external: readonly (string | RegExp)[]
  /** Files (relative to the package) that may import `node:` modules: none, all, or the ones named. */
  readonly node: boolean | readonly string[]
}

/** An import that a rule forbids. */
export interface ForbiddenImport {
  readonly file: string
  readonly line: number
  readonly specifier: string
  readonly why: string
}

/** Every module specifier of a TypeScript source, with its line, type-only imports included. */
export function specifiersOf(
  source: string,
): readonly { readonly specifier: string; readonly line: number }[] {
  return ts.preProcessFile(source, true, true).importedFiles.map(({ fileName, pos }) => ({
    specifier: fileName,
    line: source.slice(0, pos).split('\n').length,
  }))
}

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

function judge(file: string, specifier: string, rule: ImportRule): string | undefined {
  if (specifier.startsWith('.')) {
    return specifier.endsWith('.ts') ? undefined : 'relative imports name their file with its extension'
  }
  if (specifier.startsWith('node:')) {
    if (rule.node === true || (rule.node !== false && rule.node.includes(file))) return undefined
    return 'this package runs in a browser: no IO of its own'
  }
  const name = packageOf(specifier)
  if (name.startsWith('@truename/')) {
    const short = name.slice('@truename/'.length)
    return rule.workspace.includes(short)
      ? undefined
      : `imports go down only; allowed here: ${rule.workspace.join(', ') || 'none'}`
  }
  const allowed = rule.external.some((entry) =>
    typeof entry === 'string' ? entry === name : entry.test(name),
  )
  return allowed ? undefined : 'not among the dependencies this package may have'
}

/** The imports of one file that its package's rule forbids. */
export function forbiddenImports(file: string, source: string, rule: ImportRule): readonly ForbiddenImport[] {
  return specifiersOf(source).flatMap(({ specifier, line }) => {
    const why = judge(file, specifier, rule)
    return why === undefined ? [] : [{ file, line, specifier, why }]
  })
}

/** A cycle among files that import each other for values, or `undefined`. */
export function findCycle(files: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const done = new Set<string>()
  const walk = (file: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return undefined
    for (const next of files.get(file) ?? []) {
      const cycle = walk(next, [...path, file])
      if (cycle) return cycle
    }
    done.add(file)
    return undefined
  }
  for (const file of files.keys()) {
    const cycle = walk(file, [])
    if (cycle) return cycle
  }
  return undefined
}
