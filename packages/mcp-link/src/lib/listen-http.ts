import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { HttpOptions } from './http-front.ts'

/** A listening HTTP server. */
export interface Listening {
  /** Where the MCP endpoint is. */
  readonly url: string
  /** Takes no new connection, lets `drain` end what is open, and cuts the rest. */
  stop(drain: () => Promise<unknown>): Promise<void>
}

/** Listens for HTTP requests. Rejects where the address cannot be had. */
export async function listenHttp(
  { host = '127.0.0.1', port = 0, path = '/mcp' }: HttpOptions,
  listener: RequestListener,
): Promise<Listening> {
  const server = createServer(listener)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const address = server.address() as AddressInfo
  const authority = host.includes(':') ? `[${host}]` : host
  return {
    url: `http://${authority}:${address.port}${path}`,
    async stop(drain) {
      const stopped = new Promise<void>((resolve) => server.close(() => resolve()))
      await drain()
      server.closeAllConnections()
      await stopped
    },
  }
}
