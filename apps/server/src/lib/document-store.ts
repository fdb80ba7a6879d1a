import { readFile, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { guardPath } from '@truename/template-matcher'
import { type Catalogue, type CatalogueEntry, catalogueFile, parseCatalogue } from './catalogue.ts'
import { contentOf, type DocumentContent } from './document-content.ts'
import {
  changedPaths,
  type FolderFile,
  type FolderIndex,
  type FolderLimits,
  indexFolder,
} from './folder-index.ts'
import { watchFolder } from './watch-folder.ts'

/** A document of the catalogue whose file is there. */
export interface NamedDocument {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly file: FolderFile
}

/** What the folder holds at one moment. */
export interface DocumentSnapshot {
  /** By path, in the order of the paths' code units. */
  readonly files: ReadonlyMap<string, FolderFile>
  /** By name, in the order of the names' code units. */
  readonly named: ReadonlyMap<string, NamedDocument>
  /** Whether the folder has a catalogue at all. */
  readonly catalogued: boolean
}

/** What differs between two moments. */
export interface DocumentChange {
  /** Whether a name or a listed file came, went or was described otherwise. */
  readonly listing: boolean
  /** Paths of files that were added, removed or written. */
  readonly paths: ReadonlySet<string>
}

/** The content of a document, or why there is none. */
export type DocumentReading =
  | { readonly ok: true; readonly content: DocumentContent }
  | { readonly ok: false; readonly reason: 'gone' | 'too-large' | 'unreadable'; readonly message: string }

/** How a store is opened. */
export interface DocumentStoreOptions extends FolderLimits {
  readonly folder: string
  /** Bytes of one document; default 16 MiB. */
  readonly maxFileBytes?: number | undefined
  /** Follow changes of the folder; default true. */
  readonly watch?: boolean | undefined
  /** Milliseconds without a further change before the folder is looked at again; default 100. */
  readonly settleMs?: number | undefined
  /** Told, in one line, what could not be used and where. */
  readonly report?: ((line: string) => void) | undefined
}

/** The documents of one folder, kept current. */
export interface DocumentStore {
  snapshot(): DocumentSnapshot
  /**
   * Looks at the folder again for something that was not there, unless it was looked at a moment ago: looking takes at
   * most a tenth of the time, however often this is asked for and however large the folder is.
   */
  recheck(): Promise<void>
  read(file: FolderFile): Promise<DocumentReading>
  onChange(listener: (change: DocumentChange) => void): () => void
  close(): Promise<void>
}

interface State {
  readonly index: FolderIndex
  readonly catalogue: Catalogue | undefined
  readonly snapshot: DocumentSnapshot
  readonly problems: readonly string[]
}

/** The folder cannot be served. */
export class DocumentFolderError extends Error {
  readonly code = 'folder-unreadable'
  readonly folder: string
  constructor(folder: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause)
    super(`cannot read the folder ${folder}: ${why}; give a folder of documents with --docs`, { cause })
    this.name = 'DocumentFolderError'
    this.folder = folder
  }
}

/**
 * Opens a folder of documents, with names from its `catalog.json`.
 * @throws DocumentFolderError where the folder cannot be read
 */
export async function createDocumentStore(options: DocumentStoreOptions): Promise<DocumentStore> {
  const { folder, maxFileBytes = 16 * 1024 * 1024, report = () => {} } = options
  const listeners = new Set<(change: DocumentChange) => void>()
  let began = performance.now()
  let state = await look(options, undefined).catch((cause: unknown) => {
    throw new DocumentFolderError(folder, cause)
  })
  for (const line of state.problems) report(line)

  let looked = performance.now()
  let running: Promise<void> | undefined
  let again = false
  const lookAgain = async (): Promise<void> => {
    do {
      again = false
      began = performance.now()
      const before = state
      const after = await look(options, before).catch((cause: unknown) => {
        report(new DocumentFolderError(folder, cause).message)
        return undefined
      })
      looked = performance.now()
      if (!after) return
      state = after
      for (const line of after.problems) if (!before.problems.includes(line)) report(line)
      const change = {
        listing: listingOf(before.snapshot) !== listingOf(after.snapshot),
        paths: changedPaths(before.index, after.index),
      }
      if (change.listing || change.paths.size > 0) for (const listener of listeners) listener(change)
    } while (again)
  }
  const refresh = (): Promise<void> => {
    if (running) again = true
    else running = lookAgain().finally(() => (running = undefined))
    return running
  }
  const watcher =
    options.watch === false
      ? undefined
      : watchFolder(folder, { settleMs: options.settleMs ?? 100, onSettled: () => void refresh(), report })
  await watcher?.ready
  // What changed between the first look and the first watch is seen now.
  if (watcher) await refresh()

  return {
    snapshot: () => state.snapshot,
    async recheck() {
      if (running || performance.now() - looked >= 9 * (looked - began)) await refresh()
    },
    read: (file) => readDocument(file, maxFileBytes),
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async close() {
      listeners.clear()
      await watcher?.close()
      await running
    },
  }
}

async function look(options: DocumentStoreOptions, before: State | undefined): Promise<State> {
  const index = await indexFolder(options.folder, options)
  const where = join(options.folder, catalogueFile)
  const text = await readFile(where, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined
    throw cause
  })
  const read = text === undefined ? undefined : parseCatalogue(text)
  // Half a file is no reason to withdraw documents: the last whole catalogue stays in force.
  const catalogue = read?.legible === false ? (before?.catalogue ?? read) : read
  const problems = (read?.problems ?? []).map(
    ({ line, column, message }) => `${where}:${line}:${column}: ${message}`,
  )
  if (index.truncated) problems.push(`${options.folder}: too many files or folders; the rest is not served`)

  const paths = [...index.files.keys()].filter((path) => path !== catalogueFile).sort(byCodeUnits)
  const files = new Map(paths.map((path) => [path, index.files.get(path) as FolderFile]))
  const named: NamedDocument[] = []
  for (const entry of catalogue?.entries ?? []) {
    const file = fileOfEntry(entry, files)
    if (file) named.push({ name: entry.name, title: entry.title, description: entry.description, file })
    else
      problems.push(
        `${where}: ${JSON.stringify(entry.name)}: there is no file ${JSON.stringify(entry.file)} in the folder`,
      )
  }
  named.sort((a, b) => byCodeUnits(a.name, b.name))
  return {
    index,
    catalogue,
    problems,
    snapshot: {
      files,
      named: new Map(named.map((document) => [document.name, document])),
      catalogued: text !== undefined,
    },
  }
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function fileOfEntry(entry: CatalogueEntry, files: ReadonlyMap<string, FolderFile>): FolderFile | undefined {
  const guarded = guardPath(entry.file)
  return guarded.ok ? files.get(guarded.path) : undefined
}

function listingOf({ named, files, catalogued }: DocumentSnapshot): string {
  return JSON.stringify(
    catalogued
      ? [...named.values()].map(({ name, title, description, file }) => [name, title, description, file.path])
      : [...files.keys()],
  )
}

async function readDocument(file: FolderFile, maxFileBytes: number): Promise<DocumentReading> {
  try {
    // A file that has become a link since it was listed may lead out of the folder.
    if ((await realpath(file.realPath)) !== file.realPath) return gone(file)
    const { size } = await stat(file.realPath)
    if (size > maxFileBytes) {
      const message = `${file.path} has ${size} bytes; at most ${maxFileBytes} are served`
      return { ok: false, reason: 'too-large', message }
    }
    return { ok: true, content: contentOf(file.path, await readFile(file.realPath)) }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return gone(file)
    return {
      ok: false,
      reason: 'unreadable',
      message: `${file.path} cannot be read (${code ?? 'unknown error'})`,
    }
  }
}

function gone(file: FolderFile): DocumentReading {
  return { ok: false, reason: 'gone', message: `${file.path} is no longer there` }
}
