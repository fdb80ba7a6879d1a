/** Where a server listens. */
export interface ListenAddress {
  readonly host: string
  /** 0 lets the system choose. */
  readonly port: number
}

/**
 * Reads `HOST:PORT`, `[IPv6]:PORT` or `PORT` (on 127.0.0.1).
 * @returns one line of what is wrong where it is none of these
 */
export function parseListenAddress(text: string): ListenAddress | string {
  const match = /^(?:(?:\[([^\]]+)\]|([^:[\]]*)):)?(\d{1,5})$/.exec(text)
  const port = Number(match?.[3])
  if (!match || port > 65_535) return `"${text}" is not HOST:PORT, for example 127.0.0.1:8080`
  return { host: match[1] || match[2] || '127.0.0.1', port }
}
