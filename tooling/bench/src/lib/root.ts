import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The folder of the workspace, found upwards from this file, wherever the bundler has put it. */
export const root: string = (() => {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'pnpm-workspace.yaml'))) return folder
    if (folder === dirname(folder)) throw new Error('The benchmark must run inside its workspace.')
  }
})()
