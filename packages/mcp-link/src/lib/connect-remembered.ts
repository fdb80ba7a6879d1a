import { type Era, eraOf, type Prior, REVISIONS } from '@truename/capability-negotiator'
import { type Connected, type ConnectOptions, connectLink, type Dialler } from './connect-link.ts'
import type { ServerConfig } from './server-config.ts'
import type { VerdictStore } from './verdict-store.ts'

/**
 * Connects by what is remembered of a server's era, and sees to it that what is remembered stays true. Only what was
 * found is remembered: a connection that offers one era alone leaves what is known of the other as it is.
 */
export async function connectRemembered(
  server: ServerConfig,
  dialler: () => Dialler,
  options: ConnectOptions & { readonly verdicts?: VerdictStore | undefined },
): Promise<Connected> {
  const { verdicts } = options
  const attempt = (prior: ConnectOptions['prior']): Promise<Connected> =>
    connectLink(dialler(), { ...options, prior })
  const eras = erasOf(options)
  const remembers = (prior: Prior | undefined): boolean => prior !== undefined && eras.includes(prior.era)
  const stored = options.prior === undefined ? verdicts?.get(server)?.prior : undefined
  // Where only the legacy era is offered there is nothing to be saved.
  const remembered = remembers(stored) && eras.includes('modern') ? stored : undefined
  let connected = await attempt(options.prior ?? remembered)
  if (!connected.ok && remembered !== undefined && contradicts.has(connected.failure.code)) {
    verdicts?.forget(server)
    connected = await attempt(undefined)
  }
  if (!connected.ok || verdicts === undefined || !eras.includes('modern')) return connected
  const { upstream } = connected
  let known = verdicts.get(server)?.prior
  const remember = (): void => {
    const verdict = upstream.negotiation.verdict()
    if (verdict?.era === known?.era && verdict?.version === known?.version) return
    if (verdict) verdicts.set(server, verdict)
    else if (remembers(known)) verdicts.forget(server)
    else return
    known = verdict
  }
  remember()
  // Looked at again when it is over: that a server is not what was remembered may show only in use, and what was
  // contradicted must not be remembered.
  upstream.onClose(remember)
  return connected
}

/** The eras a connection offers: of any other one it can neither use nor find out anything. */
const erasOf = ({ era = 'auto', versions = REVISIONS }: ConnectOptions): readonly Era[] =>
  (['legacy', 'modern'] as const).filter(
    (one) => (era === 'auto' || era === one) && versions.some((version) => eraOf(version) === one),
  )

/** Failures that may mean that the server is not what it was; the others say nothing of its era. */
const contradicts = new Set<string>(['version-mismatch', 'refused', 'invalid-answer', 'exited', 'timeout'])
