import { isAbsolute, resolve } from 'node:path'
import type { Node } from 'jsonc-parser'
import { z } from 'zod'
import { type ConfigDocument, jsonOf, membersOf, nodeAt } from './config-document.ts'
import { ConfigError } from './config-error.ts'
import { type Environment, expandVariables } from './expand-variables.ts'
import { addressFault, findHeaderTwin, headerFault } from './http-faults.ts'
import type { JsonObject } from './json.ts'

/** One configured server. */
export type ServerConfig = {
  /** The key in the configuration: the identity of the server everywhere. */
  readonly id: string
  /** The entry as written, variables unexpanded: what fingerprints are made of. */
  readonly written: JsonObject
  /** What stands under `truename.servers.<id>` and in the entry's own `truename` member (which wins). */
  readonly options: JsonObject
} & (
  | {
      readonly kind: 'stdio'
      readonly command: string
      readonly args: readonly string[]
      /**
       * What the entry sets; the adapter adds the few variables every program needs. `null`: the program is started
       * without this one.
       */
      readonly env: Readonly<Record<string, string | null>>
      /** Absolute: relative to the folder of the configuration, which is also the default. */
      readonly cwd: string
    }
  | {
      readonly kind: 'http'
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
      /** `sse` for the transport of 2024-11-05, where the entry asks for it. */
      readonly transport?: 'sse'
    }
)

const text = z.string()
const entry = z.union([
  z.object({
    type: z.literal('stdio').optional(),
    command: text.min(1),
    args: z.array(text).optional(),
    env: z.record(text, z.union([text, z.number(), z.boolean(), z.null()])).optional(),
    cwd: text.min(1).optional(),
    truename: z.record(text, z.unknown()).optional(),
  }),
  z.object({
    type: z.enum(['http', 'streamable-http', 'streamableHttp', 'sse']).optional(),
    url: text.min(1),
    headers: z.record(text, text).optional(),
    truename: z.record(text, z.unknown()).optional(),
  }),
])
const [stdioEntry, httpEntry] = entry.options

/** Members that stand in such files for other programs' purposes; nothing is said of them. */
const foreign = new Set([
  'disabled',
  'description',
  'name',
  'gallery',
  'version',
  'dev',
  'timeout',
  'alwaysAllow',
  'autoApprove',
])

/** Reads one entry of `mcpServers` or `servers`. Throws {@link ConfigError}; unknown members go to `warn`. */
export function readServer(
  document: ConfigDocument,
  id: string,
  node: Node,
  context: { env: Environment; folder: string; options: JsonObject; warn: (at: Node, text: string) => void },
): ServerConfig {
  const fail = (code: ConfigError['code'], at: Node, message: string): never => {
    throw new ConfigError(
      code,
      document.file,
      document.position(at),
      `Server ${JSON.stringify(id)}: ${message}`,
    )
  }
  if (node.type !== 'object') fail('invalid-server', node, 'the entry has to be an object')
  const written = jsonOf(node) as JsonObject
  const has = (name: string): boolean => Object.hasOwn(written, name)
  if (has('command') && has('url')) {
    fail('invalid-server', node, 'it has both "command" and "url"; keep the one that is meant')
  }
  if (!has('command') && !has('url')) {
    fail(
      'invalid-server',
      node,
      'it needs "command" (a program to start) or "url" (a Streamable HTTP endpoint)',
    )
  }
  const schema = has('command') ? stdioEntry : httpEntry
  const parsed = schema.safeParse(written)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    const path = issue?.path ?? []
    return fail(
      'invalid-server',
      nodeAt(node, path),
      `${path.map(String).join('.') || 'entry'}: ${issue?.message}`,
    )
  }
  for (const { name, key } of membersOf(node)) {
    if (Object.hasOwn(schema.shape, name) || foreign.has(name)) continue
    context.warn(key, `server ${JSON.stringify(id)}: unknown member ${JSON.stringify(name)} is ignored`)
  }
  const expand = (value: string, path: readonly PropertyKey[]): string => {
    const expansion = expandVariables(value, context.env)
    if (expansion.ok) return expansion.text
    const where = path.map(String).join('.')
    return expansion.code === 'missing-variable'
      ? fail(
          'missing-variable',
          nodeAt(node, path),
          `${where} needs the environment variable ${expansion.variable}, which is not set; set it, or write \${${expansion.variable}:-default}`,
        )
      : fail(
          'unsupported-variable',
          nodeAt(node, path),
          `${where} holds ${expansion.variable}, which is no environment variable`,
        )
  }
  const options: JsonObject = { ...context.options, ...(parsed.data.truename as JsonObject | undefined) }
  const common = { id, written, options }

  if ('command' in parsed.data) {
    const { command, args = [], env = {}, cwd } = parsed.data
    const forProgram = (value: string, path: readonly PropertyKey[]): string => {
      const expanded = expand(value, path)
      if (!expanded.includes('\0')) return expanded
      const what = `${path.map(String).join('.')} holds a NUL character, which no program can be given`
      return fail('invalid-server', nodeAt(node, path), what)
    }
    const variable = ([name, value]: [string, string | number | boolean | null]) => {
      const place = nodeAt(node, ['env', name])
      if (!/^[^=\0]+$/.test(name)) {
        const rule = 'a variable has a name that is not empty and holds neither "=" nor NUL'
        fail('invalid-server', place, `env: ${JSON.stringify(name)}: ${rule}`)
      }
      if (value === null) return [name, null] as const
      // A number as it is written: parsing would round a long one.
      const written = typeof value === 'string' ? value : document.textOf(place)
      return [name, forProgram(written, ['env', name])] as const
    }
    const folder = cwd === undefined ? context.folder : forProgram(cwd, ['cwd'])
    return {
      ...common,
      kind: 'stdio',
      command: forProgram(command, ['command']),
      args: args.map((arg, index) => forProgram(arg, ['args', index])),
      env: Object.fromEntries(Object.entries(env).map(variable)),
      cwd: isAbsolute(folder) ? folder : resolve(context.folder, folder),
    }
  }
  const { url, headers = {}, type } = parsed.data
  const address = expand(url, ['url'])
  const fault = addressFault(address)
  if (fault !== undefined) fail('invalid-server', nodeAt(node, ['url']), `url: ${fault}`)
  const twin = findHeaderTwin(Object.keys(headers))
  if (twin) {
    const what = `headers: ${JSON.stringify(twin[0])} and ${JSON.stringify(twin[1])} are one header to HTTP; keep one`
    fail('invalid-server', nodeAt(node, ['headers', twin[1]]), what)
  }
  const expanded = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, expand(value, ['headers', name])]),
  )
  for (const [name, value] of Object.entries(expanded)) {
    const fault = headerFault(name, value)
    if (fault === undefined) continue
    fail('invalid-server', nodeAt(node, ['headers', name]), `headers: ${JSON.stringify(name)}: ${fault}`)
  }
  return {
    ...common,
    kind: 'http',
    url: address,
    headers: expanded,
    ...(type === 'sse' ? { transport: 'sse' as const } : {}),
  }
}
