import { type Service, type StdioEndpoint, type StdioOptions, serveProcess } from '@truename/mcp-link'
import { legacyVersions } from './legacy-versions.ts'

/**
 * Serves one legacy client on this process's stdin and stdout. Nothing but messages reaches stdout: `console.*` and
 * whatever else writes there goes to stderr.
 */
export function serveStdio(service: Service, options: StdioOptions = {}): Promise<StdioEndpoint> {
  return serveProcess(service, { versions: legacyVersions, ...options })
}
