import { isUtf8 } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import {
  type ConfigDocument,
  findRepeatedMember,
  jsonOf,
  memberOf,
  membersOf,
  parseDocument,
  positionAt,
} from './config-document.ts'
import { ConfigError, type Position } from './config-error.ts'
import type { Environment } from './expand-variables.ts'
import type { JsonObject } from './json.ts'
import { isJsonObject } from './message.ts'
import { readServer, type ServerConfig } from './server-config.ts'

/** Something in a configuration that was passed over. */
export interface ConfigWarning extends Position {
  readonly message: string
}

/** A read configuration. */
export interface Config {
  /** Absolute. */
  readonly file: string
  /** The folder of the file: what relative paths are relative to. */
  readonly folder: string
  /** In the order of the file. */
  readonly servers: readonly ServerConfig[]
  /** The `truename` member as written (lock, log, policy, limits, servers); `{}` if there is none. */
  readonly truename: JsonObject
  readonly warnings: readonly ConfigWarning[]
}

/** Members that are read here. */
const ownMembers = new Set(['mcpServers', 'servers', 'truename'])
/** Members that other programs keep in such files. */
const foreignMembers = new Set(['inputs', '$schema'])

/**
 * Reads the text of a configuration: the `mcpServers` file that MCP clients share, or VS Code's `servers`; JSON or
 * JSONC; `${VAR}` and `${VAR:-default}` in commands, arguments, environment, `cwd`, URLs and headers.
 * Throws {@link ConfigError}.
 */
export function parseConfig(
  text: string,
  context: { readonly file: string; readonly env?: Environment },
): Config {
  const file = resolve(context.file)
  const folder = dirname(file)
  const document = parseDocument(text, file)
  const { root, position } = document
  const warnings: ConfigWarning[] = []
  if (root.type !== 'object') {
    throw new ConfigError(
      'no-servers',
      file,
      position(root),
      'The configuration has to be an object with "mcpServers"',
    )
  }
  refuseRepeatedMembers(document)
  const truenameNode = memberOf(root, 'truename')?.value
  if (truenameNode && truenameNode.type !== 'object') {
    throw new ConfigError('invalid-options', file, position(truenameNode), '"truename" has to be an object')
  }
  const truename = (truenameNode ? jsonOf(truenameNode) : {}) as JsonObject
  const perServer = isJsonObject(truename.servers) ? truename.servers : {}
  const lists = ['mcpServers', 'servers'].flatMap((name) => memberOf(root, name) ?? [])
  if (lists.length === 0) {
    throw new ConfigError('no-servers', file, position(root), 'Neither "mcpServers" nor "servers" is there')
  }
  const servers = new Map<string, ServerConfig>()
  for (const list of lists) {
    if (list.value.type !== 'object') {
      throw new ConfigError('no-servers', file, position(list.value), `"${list.name}" has to be an object`)
    }
    for (const { name: id, key, value } of membersOf(list.value)) {
      const at = position(key)
      if (id.trim() === '')
        throw new ConfigError('invalid-server', file, at, 'A server needs a name that is not empty')
      if (servers.has(id)) {
        throw new ConfigError(
          'duplicate-server',
          file,
          at,
          `Server ${JSON.stringify(id)} is there twice, in "mcpServers" and in "servers"; rename one, or remove it`,
        )
      }
      if (memberOf(value, 'disabled')?.value.value === true) {
        warnings.push({ ...at, message: `server ${JSON.stringify(id)} is disabled and left out` })
        continue
      }
      const options = Object.hasOwn(perServer, id) && isJsonObject(perServer[id]) ? perServer[id] : {}
      const warn = (node: typeof key, message: string): void => {
        warnings.push({ ...position(node), message })
      }
      servers.set(
        id,
        readServer(document, id, value, { env: context.env ?? process.env, folder, options, warn }),
      )
    }
  }
  for (const { name, key } of membersOf(root)) {
    if (!ownMembers.has(name) && !foreignMembers.has(name))
      warnings.push({ ...position(key), message: `unknown member ${JSON.stringify(name)} is ignored` })
  }
  const optionsNode = memberOf(truenameNode, 'servers')?.value
  for (const { name, key } of membersOf(optionsNode)) {
    if (servers.has(name)) continue
    warnings.push({
      ...position(key),
      message: `truename.servers names ${JSON.stringify(name)}, which is no server here`,
    })
  }
  return { file, folder, servers: [...servers.values()], truename, warnings }
}

/**
 * JSON leaves open which of two members of one name counts (RFC 8259, section 4), so that a server, a variable or a
 * rule would vanish without a word. What other programs keep in the file is theirs.
 */
function refuseRepeatedMembers({ file, root, position }: ConfigDocument): void {
  const found = findRepeatedMember(membersOf(root).filter(({ name }) => ownMembers.has(name)))
  if (!found) return
  const { path, first, again } = found
  const name = JSON.stringify(path.at(-1))
  const { line, column } = position(first)
  const where = `first at line ${line}, column ${column}`
  const isServer = path.length === 2 && path[0] !== 'truename'
  if (isServer) {
    const text = `Server ${name} is there twice (${where}); rename one, or remove it`
    throw new ConfigError('duplicate-server', file, position(again), text)
  }
  const inside = path.length === 1 ? 'the file' : path.slice(0, -1).join('.')
  const text = `${name} is twice in ${inside} (${where}); keep the one that is meant`
  throw new ConfigError('duplicate-member', file, position(again), text)
}

/** Reads a configuration file. Throws {@link ConfigError}, also where the file is missing or cannot be read. */
export function loadConfig(file: string, context: { readonly env?: Environment } = {}): Config {
  let bytes: Buffer
  const start = { line: 1, column: 1 }
  try {
    bytes = readFileSync(file)
  } catch (error) {
    const missing = (error as { code?: unknown }).code === 'ENOENT'
    throw new ConfigError(
      missing ? 'not-found' : 'unreadable',
      resolve(file),
      start,
      missing
        ? 'There is no such file'
        : `The file cannot be read: ${error instanceof Error ? error.message : error}`,
    )
  }
  const text = bytes.toString('utf8')
  // A name in another encoding would become another name.
  if (!isUtf8(bytes)) {
    const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
    const place = isUtf16 ? start : positionAt(text, text.indexOf('\ufffd'))
    const what = isUtf16 ? 'The file is UTF-16 text' : 'This is no UTF-8 text'
    throw new ConfigError('unreadable', resolve(file), place, `${what}; save the file as UTF-8`)
  }
  return parseConfig(text, { file, ...context })
}
