import { flagName, hasFlag } from './capabilities.ts'
import { isObject, type JsonObject, own, quote } from './json.ts'
import { type Flag, LISTEN_FLAGS, MESSAGES, type MessageRule, type Need } from './messages.ts'
import { REVISIONS, revisionFor } from './versions.ts'

/** Why something may not be done, or is not known. */
export type Why =
  /** The peer did not declare the capability in `missing`. */
  | 'not-declared'
  /** The negotiation sends it itself, once. */
  | 'lifecycle'
  /** The message belongs to an earlier revision. */
  | 'removed'
  /** The message belongs to a later revision. */
  | 'not-yet'
  /** Negotiation is not finished. */
  | 'not-ready'
  /** The connection is closed. */
  | 'closed'
  /** It was declared, and the peer answered -32601. */
  | 'violated'
  /** It was never declared, and the peer answered -32601. */
  | 'not-implemented'
  /** Modern era, and the server's capabilities were not asked for. */
  | 'undiscovered'
  /** The message exists, and this revision has no flag for it. */
  | 'unflagged'
  /** A message of no published revision. */
  | 'unknown-message'

/** What may be done, and why not. Three-valued: `unknown` means that only trying tells. */
export type Permission =
  | { readonly allowed: true }
  | {
      readonly allowed: false
      readonly why: Why
      /** The flag that is missing, as in `resources.subscribe`. */
      readonly missing?: string | undefined
      /** What to do instead, where there is something. */
      readonly instead?: string | undefined
      /** One sentence for a person. */
      readonly message: string
    }
  | {
      readonly allowed: 'unknown'
      readonly why: Why
      readonly instead?: string | undefined
      readonly message: string
    }

/** What a permission is computed from. Never the name of a product. */
export interface PermissionFacts {
  readonly version: string
  /** Undefined while the server's capabilities are not known (modern, not discovered). */
  readonly server: JsonObject | undefined
  readonly client: JsonObject
}

export const ALLOWED: Permission = Object.freeze({ allowed: true })

const refusal = (
  why: Why,
  message: string,
  more: { missing?: string; instead?: string | undefined } = {},
): Permission =>
  Object.freeze({
    allowed: false,
    why,
    ...(more.missing === undefined ? {} : { missing: more.missing }),
    ...(more.instead === undefined ? {} : { instead: more.instead }),
    message,
  })

const unknown = (why: Why, message: string, instead?: string): Permission =>
  Object.freeze({ allowed: 'unknown', why, ...(instead === undefined ? {} : { instead }), message })

const index = (from: 'client' | 'server'): ReadonlyMap<string, MessageRule> =>
  new Map(MESSAGES.filter((rule) => rule.from === from).map((rule) => [rule.method, rule]))

const RULES = { client: index('client'), server: index('server') }

/** The row of the table for a message of one side. */
export const ruleFor = (from: 'client' | 'server', method: string): MessageRule | undefined =>
  RULES[from].get(method)

/** What a missing flag leaves possible. */
const INSTEAD: Readonly<Record<string, string>> = {
  'resources.subscribe': 'read the resource again by a declared polling policy (`createWatch`)',
  'tools.listChanged': 'list again when its `ttlMs` ends, or on reconnecting',
  'prompts.listChanged': 'list again when its `ttlMs` ends, or on reconnecting',
  'resources.listChanged': 'list again when its `ttlMs` ends, or on reconnecting',
  tools: 'treat the list of tools as empty',
  resources: 'treat the lists of resources and templates as empty',
  prompts: 'treat the list of prompts as empty',
}

function fromNeed(rule: MessageRule, need: Need, facts: PermissionFacts): Permission {
  const { method } = rule
  switch (need.is) {
    case 'unflagged':
      return unknown(
        'unflagged',
        `${method} exists in ${facts.version}, which has no flag for it`,
        'try it, and take -32601 for a no',
      )
    case 'absent':
      return absence(rule, need.instead, facts.version)
    case 'flags': {
      if (need.flags.length === 0) return ALLOWED
      const declared = need.of === 'server' ? facts.server : facts.client
      if (declared === undefined) {
        return unknown(
          'undiscovered',
          `the server was not asked for its capabilities`,
          'ask with `server/discover`, or try',
        )
      }
      const missing = need.flags.find((flag) => !hasFlag(declared, flag))
      return missing === undefined ? ALLOWED : undeclared(method, need.of, missing)
    }
  }
}

function undeclared(method: string, side: 'server' | 'client', flag: Flag): Permission {
  const missing = flagName(flag)
  const how = flag.counts === 'true' ? `${missing}: true` : missing
  return refusal('not-declared', `${method} needs ${how}, which the ${side} did not declare`, {
    missing,
    instead: side === 'server' ? INSTEAD[missing] : undefined,
  })
}

function absence(rule: MessageRule, instead: string | undefined, version: string): Permission {
  const later = REVISIONS.find((r) => r > revisionFor(version) && rule.needs[r].is !== 'absent')
  return later === undefined
    ? refusal('removed', `${rule.method} does not exist in ${version}`, { instead })
    : refusal('not-yet', `${rule.method} does not exist in ${version}; it came with ${later}`, { instead })
}

/** A message's permission on one connection, worked out once: without params, and, where they matter, with them. */
export interface PreparedPermission {
  readonly plain: Permission
  readonly given?: ((params: JsonObject) => Permission) | undefined
}

/** Works out what a message needs against what was declared. */
export function preparePermission(rule: MessageRule, facts: PermissionFacts): PreparedPermission {
  const revision = revisionFor(facts.version)
  if (rule.lifecycle && rule.needs[revision].is !== 'absent') return { plain: lifecycle(rule.method) }
  const plain = fromNeed(rule, rule.needs[revision], facts)
  if (rule.method === 'subscriptions/listen' && plain.allowed === true) {
    return { plain, given: (params) => listenPermission(params, facts) }
  }
  if (rule.variants === undefined) return { plain }
  const variants = rule.variants.map(({ param, equals, needs }) => ({
    param,
    equals,
    permission: fromNeed(rule, needs[revision], facts),
  }))
  return {
    plain,
    given: (params) => {
      let applies = false
      for (const { param, equals, permission } of variants) {
        if (!Object.hasOwn(params, param)) continue
        const value = params[param]
        if (value === undefined || (equals !== undefined && value !== equals)) continue
        if (permission.allowed !== true) return permission
        applies = true
      }
      return applies ? ALLOWED : plain
    },
  }
}

/** What one message needs, params considered, against what was declared. */
export function computePermission(
  rule: MessageRule,
  params: JsonObject | undefined,
  facts: PermissionFacts,
): Permission {
  const { plain, given } = preparePermission(rule, facts)
  return params === undefined || given === undefined ? plain : given(params)
}

/** A listen request is of use if at least one part of its filter can be honoured; the server leaves out the rest. */
function listenPermission(params: JsonObject, facts: PermissionFacts): Permission {
  const filter = own(params, 'notifications')
  if (!isObject(filter) || facts.server === undefined) return ALLOWED
  const server = facts.server
  const asked = Object.entries(LISTEN_FLAGS).filter(([part]) => {
    const value = own(filter, part)
    return value === true || (Array.isArray(value) && value.length > 0)
  })
  const missing = asked.filter(([, flag]) => !hasFlag(server, flag)).map(([, flag]) => flag)
  const first = missing[0]
  return first !== undefined && missing.length === asked.length
    ? undeclared('subscriptions/listen', 'server', first)
    : ALLOWED
}

const lifecycle = (method: string): Permission =>
  refusal(
    'lifecycle',
    `${method} is sent by the negotiation itself, once: a second one could change what was agreed`,
  )

/** The answer for a message of no published revision. */
export const unknownMessage = (method: string): Permission =>
  unknown(
    'unknown-message',
    `${quote(method)} is a message of no published revision`,
    'try it only where the server documents it',
  )

export const notReady = (method: string): Permission =>
  refusal('not-ready', `${quote(method)} has to wait until negotiation is finished`, {
    instead: 'wait for `ready`',
  })

export const notOpen = (method: string, reason: string): Permission =>
  refusal('closed', `${quote(method)} is not sent: ${reason}`)

/** After a -32601 on this connection: the method is refused, whether it was declared or not. */
export const notImplemented = (
  method: string,
  { declared, flag }: { readonly declared: boolean; readonly flag?: string | undefined },
): Permission =>
  refusal(
    declared ? 'violated' : 'not-implemented',
    `${quote(method)}${declared ? ' was declared, and' : ':'} the server answered -32601 on this connection`,
    flag === undefined ? {} : { missing: flag, instead: INSTEAD[flag] },
  )
