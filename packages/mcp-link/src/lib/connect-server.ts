import type { Connected } from './connect-link.ts'
import { connectRemembered } from './connect-remembered.ts'
import { createDialler, type DialOptions, type SdkClientSide } from './diallers.ts'
import type { ServerConfig } from './server-config.ts'

/**
 * Connects to a configured server with the transports of one SDK line. A remembered verdict saves the probe; where it
 * turns out wrong, it is forgotten and the server is asked.
 */
export function connectServer<Auth>(
  server: ServerConfig,
  options: DialOptions<Auth>,
  sdk: SdkClientSide<Auth>,
): Promise<Connected> {
  return connectRemembered(server, () => createDialler(server, options, sdk), options)
}
