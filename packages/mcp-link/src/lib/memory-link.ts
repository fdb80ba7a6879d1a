import { type Connected, type ConnectOptions, connectLink } from './connect-link.ts'
import { createMemoryPair } from './memory-pair.ts'
import type { Service } from './port.ts'
import { serveConnection } from './serve-connection.ts'
import { createServing, type ServingOptions } from './serve-options.ts'

/** Options of {@link connectInMemory}. */
export interface InMemoryOptions extends ConnectOptions {
  readonly serving?: ServingOptions | undefined
  /** The profile the client is served under; default `default`. */
  readonly profile?: string | undefined
}

/** Connects to a service in the same process, with everything of a real connection except streams and sockets. */
export function connectInMemory(
  serverId: string,
  service: Service,
  options: InMemoryOptions,
): Promise<Connected> {
  const serving = createServing(options.serving)
  return connectLink(
    {
      serverId,
      transport: 'stdio',
      async dial() {
        const [client, server] = createMemoryPair()
        await serveConnection(server, service, { serving, profile: options.profile ?? 'default' }).start()
        return { transport: client }
      },
    },
    options,
  )
}
