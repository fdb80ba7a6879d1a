import { errorAnswer, type Outcome, type Upstream } from '@truename/mcp-link'

/** A subscription that the server agreed to. */
export interface OpenedWatch {
  close(): Promise<void>
}

/** What to do where there is no subscription. */
export const instead = 'reading works: read it again when its present state is needed'

/**
 * Subscribes to one resource over a connection of either era: an agreement, or why there is none, with what to do
 * instead.
 */
export async function openWatch(
  upstream: Upstream,
  uri: string,
  heard: {
    /** It broke and was made anew: what happened between was not told. */
    readonly renewed: () => void
    /** It is over, without this side's doing. */
    readonly ended: (why: string) => void
  },
): Promise<OpenedWatch | { readonly outcome: Outcome }> {
  const { serverId, negotiation } = upstream
  const permission =
    negotiation.era === 'modern'
      ? negotiation.can('subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } })
      : negotiation.can('resources/subscribe', { uri })
  if (permission.allowed === false) return { outcome: notOffered(serverId, uri, permission.message) }
  const subscription = await upstream.listen({ resourceSubscriptions: [uri] })
  const honoured = (): boolean => subscription.honoured.resourceSubscriptions?.includes(uri) ?? false
  if (!honoured()) {
    const refused = subscription.refused.get(uri)
    void subscription.close()
    if (refused?.error.code === -32601 || refused?.failure === 'refused')
      return { outcome: notOffered(serverId, uri, refused.error.message) }
    return { outcome: refused ?? notOffered(serverId, uri, 'the server left it out of what it agreed to') }
  }
  const notHonoured = `Server "${serverId}" no longer agrees to a subscription to ${uri}`
  subscription.onRenewed(() => (honoured() ? heard.renewed() : heard.ended(notHonoured)))
  subscription.onEnded((renews) => {
    if (!renews) heard.ended(notHonoured)
  })
  return { close: () => subscription.close().catch(() => undefined) }
}

const notOffered = (server: string, uri: string, why: string): Outcome =>
  errorAnswer(
    -32602,
    `Server "${server}" cannot be asked to tell of changes of ${uri} (${why}); ${instead}`,
    {
      uri,
      server,
      reason: 'no-subscription',
      instead,
    },
  )

/** Whether subscribing failed on the way, so that it may succeed another time. */
export const mayPass = (outcome: Outcome): boolean =>
  outcome.kind === 'error' && (outcome.failure === 'timeout' || outcome.failure === 'transport')
