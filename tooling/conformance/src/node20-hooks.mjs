const withGlob = `
import fs from 'node:fs'
import { join } from 'node:path'
export * from 'node:fs'
export default fs
const escaped = (text) => text.replaceAll(/[.+^\${}()|[\\]\\\\]/g, '\\\\$&').replaceAll('*', '[^/]*')
const form = (pattern) => pattern.split('/').map((part) => (part === '**' ? '(?:.+/)?' : escaped(part) + '/')).join('')
export const globSync = fs.globSync ?? ((pattern, { cwd = process.cwd() } = {}) => {
  const matches = new RegExp('^' + form(pattern).replace(/\\/$/, '') + '$')
  return fs.readdirSync(cwd, { recursive: true }).map(String).filter((file) => matches.test(file.replaceAll('\\\\', '/')))
})
`

/** Gives the runner, and nobody else, the module above where it asks for `fs`. */
export async function resolve(specifier, context, next) {
  const asks = specifier === 'fs' && context.parentURL?.includes('@modelcontextprotocol/conformance')
  return asks ? { url: 'truename:fs', shortCircuit: true } : next(specifier, context)
}

export async function load(url, context, next) {
  return url === 'truename:fs'
    ? { format: 'module', source: withGlob, shortCircuit: true }
    : next(url, context)
}
