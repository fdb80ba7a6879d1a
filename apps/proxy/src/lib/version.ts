import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The version in this application's own package.json, from source and from the build. */
export const version: string = ['..', join('..', '..')]
  .map((up) => join(import.meta.dirname, up, 'package.json'))
  .flatMap((file) => {
    try {
      const manifest = JSON.parse(readFileSync(file, 'utf8')) as { name?: string; version?: string }
      return manifest.name === '@truename/proxy' && manifest.version ? [manifest.version] : []
    } catch {
      return []
    }
  })[0] as string
