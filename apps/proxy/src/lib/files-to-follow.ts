import { loadConfig } from '@truename/mcp-link'
import { stampOf } from './follow-files.ts'
import { isPipe } from './read-text-file.ts'
import { servedFrom } from './settings.ts'
import type { Workspace } from './workspace.ts'

/**
 * Which files are to be followed now: those that the configuration names, as it stands in its file, whether they are
 * there yet or not. Where it cannot be read, those it named before.
 */
export function filesToFollow({ config }: Workspace): () => readonly string[] {
  let files = servedFrom(config)
  // What it names may have changed since it was read.
  let seen: string | undefined
  return () => {
    const stamp = stampOf(config.file)
    if (stamp === seen) return files
    seen = stamp
    try {
      if (!isPipe(config.file)) files = servedFrom(loadConfig(config.file))
    } catch {
      // Whoever reads it whole says why.
    }
    return files
  }
}
