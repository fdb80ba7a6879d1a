import type { Dirent, Stats } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'

/** One file of the folder. */
export interface FolderFile {
  /** Below the folder, `/` between the parts, spelt as the file system spells it. */
  readonly path: string
  /** The file to open: no symbolic link is left in it. */
  readonly realPath: string
  /** Bytes. */
  readonly size: number
  /** Changes whenever the file was written or replaced. */
  readonly stamp: string
}

/** The files of a folder at one moment, by path. */
export interface FolderIndex {
  readonly files: ReadonlyMap<string, FolderFile>
  /** Files beyond the limit were left out. */
  readonly truncated: boolean
}

/** Which files count. */
export interface FolderLimits {
  /** Files in all; default 100,000. */
  readonly maxFiles?: number | undefined
  /** Folders below each other; default 64. */
  readonly maxDepth?: number | undefined
}

/**
 * Lists every file below a folder. Hidden files and folders (`.git`, `.env`) are not documents. A symbolic link
 * counts where its target lies inside the folder. Since a path is found by being equal to a listed one, letter
 * case and Unicode normalisation count on every file system.
 * @throws the file system's error where the folder itself cannot be read
 */
export async function indexFolder(folder: string, limits: FolderLimits = {}): Promise<FolderIndex> {
  const { maxFiles = 100_000, maxDepth = 64 } = limits
  const root = await realpath(folder)
  const files = new Map<string, FolderFile>()
  let truncated = false
  const entered = new Set<string>([root])

  const walk = async (real: string, path: string, depth: number): Promise<void> => {
    const entries = depth === 0 ? await list(real) : await list(real).catch(() => [])
    for (const entry of entries) {
      if (files.size >= maxFiles || depth >= maxDepth) {
        truncated = true
        return
      }
      if (entry.name.startsWith('.')) continue
      const below = path === '' ? entry.name : `${path}/${entry.name}`
      const place = await resolve(join(real, entry.name), entry, root)
      if (place?.stats.isFile()) files.set(below, fileOf(below, place.real, place.stats))
      else if (place?.stats.isDirectory() && !entered.has(place.real)) {
        entered.add(place.real)
        await walk(place.real, below, depth + 1)
      }
    }
  }
  await walk(root, '', 0)
  return { files, truncated }
}

async function list(folder: string): Promise<readonly Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
}

async function resolve(
  path: string,
  entry: Dirent,
  root: string,
): Promise<{ real: string; stats: Stats } | undefined> {
  try {
    const real = entry.isSymbolicLink() ? await realpath(path) : path
    if (real !== root && !real.startsWith(root.endsWith(sep) ? root : root + sep)) return undefined
    return { real, stats: await stat(real) }
  } catch {
    // Gone between listing and looking, a dangling link, or not ours to read.
    return undefined
  }
}

function fileOf(path: string, realPath: string, stats: Stats): FolderFile {
  return { path, realPath, size: stats.size, stamp: `${stats.ino}:${stats.size}:${stats.mtimeMs}` }
}

/** The paths that were added, removed or written between two looks at a folder. */
export function changedPaths(before: FolderIndex, after: FolderIndex): ReadonlySet<string> {
  const changed = new Set<string>()
  for (const [path, file] of after.files) {
    if (before.files.get(path)?.stamp !== file.stamp) changed.add(path)
  }
  for (const path of before.files.keys()) if (!after.files.has(path)) changed.add(path)
  return changed
}
