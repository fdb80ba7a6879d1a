import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'

/** One document with a name of its own. */
export interface CatalogueEntry {
  /** Free text, compared letter for letter; may hold what a file name cannot. */
  readonly name: string
  /** Where the text lies: a path below the folder, `/` between its parts. */
  readonly file: string
  readonly title?: string | undefined
  readonly description?: string | undefined
}

/** Something in the catalogue that was left out or overlooked, at a place a person can find. */
export interface CatalogueProblem {
  /** Counted from 1. */
  readonly line: number
  readonly column: number
  readonly message: string
}

/** What a `catalog.json` says. An entry with a problem is left out; the others are served. */
export interface Catalogue {
  readonly entries: readonly CatalogueEntry[]
  readonly problems: readonly CatalogueProblem[]
  /** Whether the text is JSON: an editor that saves in steps leaves half a file for a moment. */
  readonly legible: boolean
}

/** The file that maps names to files. */
export const catalogueFile = 'catalog.json'

const known = new Set(['file', 'title', 'description'])

/**
 * Reads the text of a `catalog.json`: `{ "documents": { "<name>": "<file>" | { "file", "title"?, "description"? } } }`,
 * comments allowed. Never throws: what cannot be used is a problem with line and column.
 */
export function parseCatalogue(text: string): Catalogue {
  const errors: ParseError[] = []
  const problems: CatalogueProblem[] = []
  const place = (offset: number) => {
    const before = text.slice(0, offset).split('\n')
    return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
  }
  const report = (offset: number, message: string): void => void problems.push({ ...place(offset), message })

  const root = parseTree(text.replace(/^\uFEFF/, ' '), errors, { allowTrailingComma: true })
  for (const { error, offset } of errors) report(offset, `not JSON: ${printParseErrorCode(error)}`)
  const legible = errors.length === 0
  if (root?.type !== 'object') {
    if (legible) report(0, 'the catalogue must be an object with a member "documents"')
    return { entries: [], problems, legible }
  }

  const entries = new Map<string, CatalogueEntry>()
  let found = false
  for (const [key, value, offset] of members(root)) {
    if (key !== 'documents') {
      if (key !== '$schema') report(offset, `unknown member ${JSON.stringify(key)}, ignored`)
      continue
    }
    found = true
    if (value.type !== 'object') {
      report(value.offset, '"documents" must be an object from names to files')
      continue
    }
    for (const [name, described, at] of members(value)) {
      const entry = readEntry(name, described, report)
      if (!entry) continue
      if (entries.has(name)) report(at, `the name ${JSON.stringify(name)} stands twice; the first one counts`)
      else if (/\p{Surrogate}/u.test(name))
        report(at, 'a name with half a surrogate pair cannot be put in a URI')
      else entries.set(name, entry)
    }
  }
  if (!found && legible) report(root.offset, 'the member "documents" is missing')
  return { entries: [...entries.values()], problems, legible }
}

function readEntry(
  name: string,
  value: Node,
  report: (offset: number, message: string) => void,
): CatalogueEntry | undefined {
  if (value.type === 'string') return { name, file: value.value as string }
  const shown = JSON.stringify(name)
  if (value.type !== 'object') {
    report(value.offset, `${shown} must be a file path, or an object with a member "file"`)
    return undefined
  }
  const read: Record<string, string> = Object.create(null)
  for (const [key, member, offset] of members(value)) {
    if (!known.has(key)) report(offset, `unknown member ${JSON.stringify(key)} of ${shown}, ignored`)
    else if (member.type !== 'string') report(member.offset, `"${key}" of ${shown} must be a string`)
    else read[key] = member.value as string
  }
  const { file, title, description } = read
  if (file === undefined) {
    report(value.offset, `${shown} has no "file"`)
    return undefined
  }
  return { name, file, title, description }
}

function* members(object: Node): Iterable<readonly [key: string, value: Node, offset: number]> {
  for (const property of object.children ?? []) {
    const [key, value] = property.children ?? []
    if (key && value) yield [key.value as string, value, key.offset]
  }
}
