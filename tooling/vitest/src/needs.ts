import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe } from 'vitest'

/** Something a machine may lack: what it is called, and where it was found. */
export interface Need {
  readonly name: string
  readonly found: string | undefined
}

const onPath = (program: string): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((file) => existsSync(file))

const debianPostgres = (): string | undefined => {
  const versions = '/usr/lib/postgresql'
  if (!existsSync(versions)) return undefined
  return readdirSync(versions)
    .map((version) => join(versions, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'postgres')))
}

/** The folder with `postgres` and `initdb`. */
export const postgres: Need = {
  name: 'PostgreSQL (postgres and initdb)',
  found: onPath('initdb')?.replace(/[/\\]initdb$/, '') ?? debianPostgres(),
}

/** The Chromium program. */
export const chromium: Need = { name: 'Chromium', found: onPath('chromium') ?? onPath('chromium-browser') }

/** The folder of public test data and recorded surfaces beside the project, where it is there. */
export const fixtures: Need = (() => {
  const folder = join(import.meta.dirname, '..', '..', '..', '..', 'shared', 'fixtures')
  return { name: 'the shared fixtures', found: existsSync(folder) ? folder : undefined }
})()

/** A suite that is skipped, with the reason in its name, where the machine lacks what it needs. */
export function describeWith(need: Need, name: string, suite: (found: string) => void): void {
  if (need.found === undefined) describe.skip(`${name} [needs ${need.name}]`, () => suite(''))
  else describe(name, () => suite(need.found as string))
}
