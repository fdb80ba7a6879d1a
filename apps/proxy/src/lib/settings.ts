import { isAbsolute, join } from 'node:path'
import type { Config, JsonObject } from '@truename/mcp-link'
import { z } from 'zod'
import { closest } from './closest.ts'
import { CommandError } from './command-error.ts'
import { isMissing, readTextFile } from './read-text-file.ts'

const serverSettings = z.looseObject({
  uris: z.enum(['plain', 'prefixed']).optional(),
  resources: z.enum(['on', 'off']).optional(),
  profile: z.string().min(1).optional(),
  verifyEverySeconds: z.number().positive().optional(),
})

// A flat name needs room for a digest and something to read.
const limits = z.looseObject({
  nameLength: z.number().int().min(24).max(128).optional(),
  callTimeoutSeconds: z.number().positive().optional(),
  startTimeoutSeconds: z.number().positive().optional(),
  listTimeoutSeconds: z.number().positive().optional(),
  subscriptionsPerClient: z.number().int().positive().optional(),
  subscriptionsPerServer: z.number().int().positive().optional(),
})

const schema = z.looseObject({
  lock: z.string().min(1).optional(),
  log: z.union([z.string().min(1), z.literal(false)]).optional(),
  approvals: z.string().min(1).optional(),
  policy: z.union([z.string().min(1), z.array(z.unknown())]).optional(),
  servers: z.record(z.string(), serverSettings).optional(),
  limits: limits.optional(),
})

/** Options of one server under `truename.servers`. */
export type ServerSettings = z.infer<typeof serverSettings>

/** What the `truename` key of a configuration says, with its defaults and absolute paths. */
export interface Settings {
  readonly lockFile: string
  /** The folder of the decision log; `false` where the operator turned it off. */
  readonly logFolder: string | false
  readonly approvalsFile: string
  /** The note of a lock that a person approved at a terminal of this machine. */
  readonly confirmedFile: string
  /** What era each server speaks, as found; it can be deleted at any time. */
  readonly erasFile: string
  /** The policy's text and where it stands, for errors with a position. */
  readonly policy:
    | { readonly value: unknown; readonly file: string }
    | { readonly text: string; readonly file: string }
  readonly servers: Readonly<Record<string, ServerSettings>>
  readonly limits: {
    readonly nameLength: number
    readonly callTimeoutMs: number
    readonly startTimeoutMs: number
    readonly listTimeoutMs: number
    /** Resources that one client may be subscribed to at once. */
    readonly subscriptionsPerClient: number
    /** Resources of one server that are subscribed to at once, for all clients together. */
    readonly subscriptionsPerServer: number
  }
  /** Members nobody reads: reported, never fatal. */
  readonly warnings: readonly string[]
}

const defaults = { lock: 'truename.lock.json', confirmed: '.truename/confirmed-lock.json' }

const known = {
  top: Object.keys(schema.shape),
  server: Object.keys(serverSettings.shape),
  limits: Object.keys(limits.shape),
}

const suggestion = (member: string, among: readonly string[]): string => {
  const close = closest(member, among)
  return close ? ` (did you mean "${close}"?)` : ` (known: ${among.join(', ')})`
}

function unknownMembers(written: JsonObject, serverIds: readonly string[]): readonly string[] {
  const unknownIn = (path: string, object: unknown, names: readonly string[]): readonly string[] =>
    Object.keys((object ?? {}) as JsonObject)
      .filter((member) => !names.includes(member))
      .map((member) => `${path}.${member} is not known${suggestion(member, names)}`)
  const servers = Object.entries((written.servers ?? {}) as JsonObject)
  return [
    ...unknownIn('truename', written, known.top),
    ...unknownIn('truename.limits', written.limits, known.limits),
    ...servers.flatMap(([id, options]) => [
      ...(serverIds.includes(id) ? [] : [`truename.servers.${id}: no server of that name is configured`]),
      ...unknownIn(`truename.servers.${id}`, options, known.server),
    ]),
  ]
}

function parseSettings(config: Config): z.infer<typeof schema> {
  const parsed = schema.safeParse(config.truename)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new CommandError('settings-invalid', {
    what: `truename.${issue?.path.join('.')}: ${issue?.message}`,
    where: config.file,
    remedy: 'Correct this member; docs/configuration.md lists them all.',
  })
}

const within =
  ({ folder }: Config) =>
  (path: string): string =>
    isAbsolute(path) ? path : join(folder, path)

/**
 * The files that a configuration is served from, itself included, whether or not they are there.
 *
 * @throws CommandError `settings-invalid`
 */
export function servedFrom(config: Config): readonly string[] {
  const { lock = defaults.lock, policy } = parseSettings(config)
  const named = typeof policy === 'string' ? [lock, defaults.confirmed, policy] : [lock, defaults.confirmed]
  return [config.file, ...named.map(within(config))]
}

/**
 * Reads the `truename` key of a configuration.
 *
 * @throws CommandError `settings-invalid` where a member has a value it cannot have, `policy-missing` where the
 * policy file is not there.
 */
export function readSettings(config: Config): Settings {
  const { lock, log, approvals, policy, servers, limits } = parseSettings(config)
  const at = within(config)
  return {
    lockFile: at(lock ?? defaults.lock),
    logFolder: log === false ? false : at(log ?? '.truename/decisions'),
    approvalsFile: at(approvals ?? '.truename/approvals.json'),
    confirmedFile: at(defaults.confirmed),
    erasFile: at('.truename/eras.json'),
    policy: policyOf(policy, config, at),
    servers: servers ?? {},
    limits: {
      nameLength: limits?.nameLength ?? 48,
      callTimeoutMs: (limits?.callTimeoutSeconds ?? 300) * 1000,
      startTimeoutMs: (limits?.startTimeoutSeconds ?? 30) * 1000,
      listTimeoutMs: (limits?.listTimeoutSeconds ?? 30) * 1000,
      subscriptionsPerClient: limits?.subscriptionsPerClient ?? 100,
      subscriptionsPerServer: limits?.subscriptionsPerServer ?? 500,
    },
    warnings: unknownMembers(
      config.truename,
      config.servers.map(({ id }) => id),
    ),
  }
}

function policyOf(
  policy: string | unknown[] | undefined,
  config: Config,
  at: (path: string) => string,
): Settings['policy'] {
  if (typeof policy !== 'string') return { value: policy ?? [], file: config.file }
  const file = at(policy)
  if (isMissing(file)) {
    throw new CommandError('policy-missing', {
      what: 'the policy file is not there',
      where: file,
      remedy: `Create it, or correct "truename.policy" in ${config.file}.`,
    })
  }
  return { text: readTextFile(file, 'Correct "truename.policy" in the configuration.'), file }
}
