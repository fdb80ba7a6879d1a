import { canonicalJson } from './canonical-json.ts'
import { digestText } from './digest.ts'
import { isObject, type Json, type JsonObject, memberOf } from './json.ts'
import { redactArguments, redactUrl, redactVariable } from './redact.ts'

/** What the fingerprint of an endpoint covers, with its digest. Shown to reviewers; holds no secrets. */
export interface EndpointFingerprint extends JsonObject {
  /** SHA-256 of the canonical JSON of all other members, lower-case hex. */
  readonly fingerprint: string
  readonly transport: 'stdio' | 'http'
}

/** Facts about the surroundings that a config text does not say. */
export interface EndpointFacts {
  /** The folder of the config file: absolute paths inside it count as relative to it. */
  readonly configFolder?: string | undefined
  /** Environment variables that change the surface, and whether each is set where the server starts. */
  readonly environment?: Readonly<Record<string, boolean>> | undefined
  /** The kind of authentication in use, if the config does not say: `none`, `bearer`, `oauth`, … */
  readonly authentication?: string | undefined
  /** The URL a request ended at after redirects, if any were followed. */
  readonly redirectedTo?: string | undefined
}

/** A server entry that names neither a command nor a URL. */
export class EndpointConfigError extends Error {
  readonly code = 'endpoint-config'
  constructor(message: string) {
    super(message)
    this.name = 'EndpointConfigError'
  }
}

/** Variables whose value changes which code runs: their values count, not only their names. */
const choosesCode = new RegExp(
  `^(?:${[
    // What is looked for where, and what a shell reads before its script.
    'PATH|PATHEXT|COMSPEC|BASH_ENV|ENV|ZDOTDIR|LD_.*|DYLD_.*',
    // What a runtime loads before or beside the program.
    'NODE_OPTIONS|NODE_PATH|PYTHON.*|PERL5(?:LIB|OPT|DB)|RUBY(?:OPT|LIB)|PHPRC|PHP_INI_SCAN_DIR|LUA_(?:PATH|CPATH|INIT).*',
    '_?JAVA_OPTIONS|JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS|JAVA_HOME|CLASSPATH',
    'DOTNET_(?:STARTUP_HOOKS|ADDITIONAL_DEPS|SHARED_STORE|ROOT.*)|COR(?:ECLR)?_(?:ENABLE_PROFILING|PROFILER.*)',
    // Where a package comes from, and which.
    '(?:npm|pnpm)_config_.*|(?:YARN|COREPACK|UV|PIP|PIPX|GEM|BUNDLE|BUN|DENO)_.*',
  ].join('|')})$`,
  'i',
)

/**
 * The fingerprint of a server's endpoint, over the config text as written: variables are not expanded, so secrets
 * kept in variables never enter it, and secrets written out in arguments, URLs and variables are left out. Of an
 * `Authorization` header the scheme counts, and not what follows it.
 *
 * @throws {EndpointConfigError} for an entry with neither `command` nor `url`
 */
export function fingerprintEndpoint(config: object, facts: EndpointFacts = {}): EndpointFingerprint {
  const parts =
    typeof memberOf(config, 'command') === 'string' ? ofProcess(config, facts) : ofUrl(config, facts)
  return sealEndpoint(parts)
}

/** Adds the digest to the parts of an endpoint. */
export const sealEndpoint = (
  parts: JsonObject & { readonly transport: 'stdio' | 'http' },
): EndpointFingerprint => ({
  fingerprint: digestText(canonicalJson(parts)),
  ...parts,
})

/** Whether the digest of a fingerprint is that of its parts. */
export function endpointAddsUp({ fingerprint, ...parts }: EndpointFingerprint): boolean {
  return digestText(canonicalJson(parts)) === fingerprint
}

function ofProcess(config: object, facts: EndpointFacts): JsonObject & { transport: 'stdio' } {
  const env = memberOf(config, 'env')
  const all = isObject(env) ? Object.keys(env).sort() : []
  // Without a variable the program is another one than with it, whatever its value.
  const unset = all.filter((name) => (env as JsonObject)[name] === null)
  const names = all.filter((name) => !unset.includes(name))
  const code = names.filter((name) => choosesCode.test(name))
  const args = memberOf(config, 'args')
  return {
    transport: 'stdio',
    command: relative(String(memberOf(config, 'command')), facts),
    args: redactArguments(Array.isArray(args) ? args.map((arg) => relative(String(arg), facts)) : []),
    cwd:
      typeof memberOf(config, 'cwd') === 'string' ? relative(String(memberOf(config, 'cwd')), facts) : null,
    env: names,
    // Only where there are any: fingerprints made before they were known stay what they are.
    ...(unset.length > 0 && { unset }),
    code: Object.fromEntries(
      code.map((name): [string, Json] => [name, redactVariable(name, String((env as JsonObject)[name]))]),
    ),
    environment: presence(facts),
  }
}

function ofUrl(config: object, facts: EndpointFacts): JsonObject & { transport: 'http' } {
  const url = memberOf(config, 'url')
  if (typeof url !== 'string') {
    throw new EndpointConfigError('a server needs a "command" to start or a "url" to connect to')
  }
  const headers = memberOf(config, 'headers')
  const names = isObject(headers)
    ? Object.keys(headers)
        .map((name) => name.toLowerCase())
        .sort()
    : []
  const origin = facts.redirectedTo === undefined ? undefined : originOf(facts.redirectedTo)
  return {
    transport: 'http',
    url: redactUrl(url),
    type: typeof memberOf(config, 'type') === 'string' ? String(memberOf(config, 'type')) : null,
    headers: [...new Set(names)],
    authentication: facts.authentication ?? authenticationOf(config, names),
    redirectedTo: origin === undefined || origin === originOf(url) ? null : origin,
    environment: presence(facts),
  }
}

const presence = (facts: EndpointFacts): JsonObject => ({ ...facts.environment })

const authenticationOf = (config: object, headerNames: readonly string[]): string => {
  const auth = memberOf(config, 'auth') ?? memberOf(config, 'authentication')
  if (typeof auth === 'string') return auth
  if (isObject(auth)) return typeof auth.type === 'string' ? auth.type : 'object'
  if (!headerNames.includes('authorization')) return 'none'
  const scheme = schemeOf(memberOf(config, 'headers'))
  return scheme === undefined ? 'header' : `header ${scheme}`
}

/** Schemes that may be shown wherever they stand (IANA, HTTP Authentication Schemes, and what servers made up). */
const knownSchemes =
  /^(?:basic|bearer|concealed|digest|dpop|gnap|hoba|mutual|negotiate|oauth|privatetoken|scram-sha-(?:1|256)|vapid|token|api-?key)$/

/**
 * The scheme of an `Authorization` header, in lower case (RFC 9110, section 11.4). Another word counts only in front
 * of a reference to a variable: it may be a secret else.
 */
function schemeOf(headers: Json | undefined): string | undefined {
  const schemes = Object.entries(isObject(headers) ? headers : {}).flatMap(([name, value]) => {
    const [, word, rest = ''] =
      (name.toLowerCase() === 'authorization' &&
        typeof value === 'string' &&
        /^\s*([!#%&'*+.^`|~\w-]+)\s+(\S.*)$/s.exec(value)) ||
      []
    const scheme = word?.toLowerCase()
    return scheme !== undefined && (rest.startsWith('${') || knownSchemes.test(scheme)) ? [scheme] : []
  })
  return schemes.length === 0 ? undefined : [...new Set(schemes)].sort().join(' ')
}

/** Scheme and authority, as RFC 3986 section 3 cuts them out, lower-cased. */
const originOf = (url: string): string | undefined =>
  /^([A-Za-z][A-Za-z0-9+.-]*:\/\/)(?:[^/?#@]*@)?([^/?#]*)/.exec(url)?.slice(1, 3).join('').toLowerCase()

function relative(text: string, { configFolder }: EndpointFacts): string {
  if (configFolder === undefined || configFolder === '') return text
  const folder = configFolder.replace(/[/\\]+$/, '')
  if (text === folder) return '.'
  const next = text[folder.length]
  return text.startsWith(folder) && (next === '/' || next === '\\') ? `.${text.slice(folder.length)}` : text
}
