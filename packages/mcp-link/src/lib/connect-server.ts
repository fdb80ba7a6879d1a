import { type Connected, connectLink } from './connect-link.ts'
import { createDialler, type DialOptions, type SdkClientSide } from './diallers.ts'
import type { ServerConfig } from './server-config.ts'

/**
 * Connects to a configured server with the transports of one SDK line. A remembered verdict saves the probe; where it
 * turns out wrong, it is forgotten and the server is asked.
 */
export async function connectServer<Auth>(
  server: ServerConfig,
  options: DialOptions<Auth>,
  sdk: SdkClientSide<Auth>,
): Promise<Connected> {
  const { verdicts } = options
  const attempt = (prior: DialOptions<Auth>['prior']): Promise<Connected> =>
    connectLink(createDialler(server, options, sdk), { ...options, prior })
  const remembered = options.prior === undefined ? verdicts?.get(server)?.prior : undefined
  let connected = await attempt(options.prior ?? remembered)
  if (!connected.ok && remembered !== undefined && contradicts.has(connected.failure.code)) {
    verdicts?.forget(server)
    connected = await attempt(undefined)
  }
  if (connected.ok && verdicts) {
    const { upstream } = connected
    const verdict = upstream.negotiation.verdict()
    if (verdict && verdict.era !== remembered?.era) verdicts.set(server, verdict)
    // A modern server that turns out to be none is found in use, and asked again next time.
    upstream.onClose((reason) => {
      if (reason.includes('verdict-contradicted')) verdicts.forget(server)
    })
  }
  return connected
}

/** Failures that may mean that the server is not what it was; the others say nothing of its era. */
const contradicts = new Set<string>(['version-mismatch', 'refused', 'invalid-answer', 'exited', 'timeout'])
