import { type Family, listFamily, type Upstream } from '@truename/mcp-link'
import { connect } from '@truename/sdk-v2'
import { type EndpointOptions, findEndpoint } from './endpoint.ts'
import { type ExitCode, exitCodes } from './exit-code.ts'
import { heldLine, heldOf } from './held.ts'
import { HostError } from './host-error.ts'
import type { Output } from './output.ts'

/** What a command works with: one connection, and the tools listed on it. */
export interface Session {
  readonly upstream: Upstream
  readonly tools: Family
}

/**
 * Connects, does the work and ends the connection, whatever happens. What the proxy holds is said beside every
 * command's answer.
 * @throws HostError where there is no connection
 */
export async function withSession(
  endpoint: EndpointOptions,
  version: string,
  output: Output,
  work: (session: Session) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { server, warnings } = findEndpoint(endpoint)
  for (const warning of warnings) output.note(warning)
  const giveUp = new AbortController()
  const interrupt = (): void => giveUp.abort()
  process.once('SIGINT', interrupt)
  process.once('SIGTERM', interrupt)
  try {
    const connected = await connect(server, {
      client: { name: 'truename-host', version },
      signal: giveUp.signal,
    })
    if (!connected.ok) throw new HostError(connected.failure.message, exitCodes.failed)
    const { upstream } = connected
    giveUp.signal.addEventListener('abort', () => void upstream.close())
    try {
      const tools = await listFamily(upstream, 'tools')
      const exitCode = await work({ upstream, tools })
      const held = heldLine(heldOf(tools.metas))
      if (held !== undefined) output.note(held)
      return exitCode
    } finally {
      await upstream.close()
    }
  } finally {
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
  }
}
