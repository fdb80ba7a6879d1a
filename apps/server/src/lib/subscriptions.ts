import type { Downstream, ListenFilter } from '@truename/mcp-link'
import type { DocumentChange } from './document-store.ts'

/** Who is connected, and who wants to be told of which resources. */
export interface Subscriptions {
  add(client: Downstream): void
  /** From now on this client listens to exactly these; what is returned is what can be honoured of it. */
  listen(client: Downstream, filter: ListenFilter): ListenFilter
  /** Tells each client of what it listens to. */
  announce(change: DocumentChange): void
  close(): void
}

/**
 * Keeps subscriptions by the very URI the client used, so that an update names the URI the client knows, whatever
 * its spelling. Only a URI that names a document can be subscribed to; once subscribed, the document may go and come.
 * @param fileOf the path of the file a URI names now, if it names one
 */
export function createSubscriptions(fileOf: (uri: string) => string | undefined): Subscriptions {
  const clients = new Map<Downstream, Map<string, string | undefined>>()
  return {
    add(client) {
      clients.set(client, new Map())
      client.onClose(() => clients.delete(client))
    },
    listen(client, filter) {
      const before = clients.get(client)
      // A connection that is already gone listens to nothing.
      if (!before) return {}
      const now = new Map<string, string | undefined>()
      for (const uri of filter.resourceSubscriptions ?? []) {
        const file = before.has(uri) ? before.get(uri) : fileOf(uri)
        if (file !== undefined || before.has(uri)) now.set(uri, file)
      }
      clients.set(client, now)
      return { ...filter, ...(filter.resourceSubscriptions && { resourceSubscriptions: [...now.keys()] }) }
    },
    announce({ listing, paths }) {
      for (const [client, uris] of clients) {
        if (listing) void client.notify('notifications/resources/list_changed')
        for (const [uri, before] of uris) {
          const now = fileOf(uri)
          uris.set(uri, now)
          const written = before !== undefined && paths.has(before)
          if (written || before !== now) void client.notify('notifications/resources/updated', { uri })
        }
      }
    },
    close: () => clients.clear(),
  }
}
