import { type Connected, type ConnectOptions, connectLink, type Dialler } from './connect-link.ts'
import type { ServerConfig } from './server-config.ts'
import type { VerdictStore } from './verdict-store.ts'

/** Connects by what is remembered of a server's era, and sees to it that what is remembered stays true. */
export async function connectRemembered(
  server: ServerConfig,
  dialler: () => Dialler,
  options: ConnectOptions & { readonly verdicts?: VerdictStore | undefined },
): Promise<Connected> {
  const { verdicts } = options
  const attempt = (prior: ConnectOptions['prior']): Promise<Connected> =>
    connectLink(dialler(), { ...options, prior })
  const remembered = options.prior === undefined ? verdicts?.get(server)?.prior : undefined
  let connected = await attempt(options.prior ?? remembered)
  if (!connected.ok && remembered !== undefined && contradicts.has(connected.failure.code)) {
    verdicts?.forget(server)
    connected = await attempt(undefined)
  }
  if (!connected.ok || verdicts === undefined) return connected
  const { upstream } = connected
  let known = verdicts.get(server)?.prior
  const remember = (): void => {
    const verdict = upstream.negotiation.verdict()
    if (verdict?.era === known?.era && verdict?.version === known?.version) return
    if (verdict) verdicts.set(server, verdict)
    else verdicts.forget(server)
    known = verdict
  }
  remember()
  // Looked at again when it is over: that a server is not what was remembered may show only in use, and what was
  // contradicted must not be remembered.
  upstream.onClose(remember)
  return connected
}

/** Failures that may mean that the server is not what it was; the others say nothing of its era. */
const contradicts = new Set<string>(['version-mismatch', 'refused', 'invalid-answer', 'exited', 'timeout'])
