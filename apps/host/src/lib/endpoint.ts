import { basename } from 'node:path'
import { loadConfig, type ServerConfig } from '@truename/mcp-link'
import { exitCodes } from './exit-code.ts'
import { HostError } from './host-error.ts'

/** How the command line names what to connect to: exactly one of the three. */
export interface EndpointOptions {
  readonly url?: string | undefined
  readonly config?: string | undefined
  /** With a configuration: which of its servers. Otherwise: the id to call the endpoint by. */
  readonly server?: string | undefined
  /** Everything after `--`. */
  readonly command: readonly string[]
}

/** What to connect to, and what was passed over in the configuration. */
export interface Endpoint {
  readonly server: ServerConfig
  readonly warnings: readonly string[]
}

const usage = (message: string): HostError => new HostError(message, exitCodes.usage)

/**
 * Finds the endpoint the command line names.
 * @throws HostError where it names none, several, or one that is not there; ConfigError for a file that cannot be read
 */
export function findEndpoint({ url, config, server, command }: EndpointOptions): Endpoint {
  const given = [url !== undefined, config !== undefined, command.length > 0].filter(Boolean).length
  if (given !== 1) {
    const what = given === 0 ? 'what to connect to is missing' : 'more than one endpoint is given'
    throw usage(`${what}: use one of --url URL, --config FILE, -- COMMAND ARGS`)
  }
  if (config !== undefined) return fromConfig(config, server)
  if (url !== undefined) {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
      throw usage(
        `--url ${JSON.stringify(url)} is not an http: or https: address like http://127.0.0.1:8080/mcp`,
      )
    }
    const id = server ?? new URL(url).host
    return { warnings: [], server: { id, kind: 'http', url, headers: {}, written: { url }, options: {} } }
  }
  const [program = '', ...args] = command
  const id = server ?? basename(program).replace(/\.(exe|cmd|[cm]?js)$/i, '')
  const written = { command: program, args }
  return {
    warnings: [],
    server: { id, kind: 'stdio', command: program, args, env: {}, cwd: process.cwd(), written, options: {} },
  }
}

function fromConfig(file: string, wanted: string | undefined): Endpoint {
  const { servers, warnings } = loadConfig(file)
  const ids = servers.map(({ id }) => id)
  const server = wanted === undefined ? servers[0] : servers.find(({ id }) => id === wanted)
  if (!server && wanted !== undefined) {
    throw usage(`${file} has no server ${JSON.stringify(wanted)}; it has ${ids.join(', ') || 'none'}`)
  }
  if (!server) throw usage(`${file} has no server; add one under "mcpServers"`)
  if (wanted === undefined && servers.length > 1) {
    throw usage(`${file} has ${servers.length} servers; choose one with --server: ${ids.join(', ')}`)
  }
  return {
    server,
    warnings: warnings.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`),
  }
}
