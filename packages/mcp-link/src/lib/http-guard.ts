/** Which Host and Origin headers an endpoint takes: host names without port, or whole origins. */
export interface HttpGuard {
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
}

/** The names a machine has for itself. */
export const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

const hostOf = (authority: string): string | undefined => {
  const address = `http://${authority}`
  if (authority === '' || !URL.canParse(address)) return undefined
  const url = new URL(address)
  return url.pathname === '/' && url.username === '' ? url.hostname : undefined
}

/**
 * Why a request must not be served, or `undefined`: a Host that is not allowed (DNS rebinding), or an Origin that is
 * not (2025-11-25 and 2026-07-28, Streamable HTTP §Security Warning: a present and invalid Origin is 403). Requests
 * without an Origin do not come from a web page.
 */
export function refuseRequest(headers: Headers, guard: HttpGuard): string | undefined {
  const host = hostOf(headers.get('host') ?? '')
  if (host === undefined || !guard.allowedHosts.includes(host)) return 'The Host header is not allowed here'
  const origin = headers.get('origin')
  if (origin === null) return undefined
  if (guard.allowedOrigins.includes(origin)) return undefined
  const url = URL.canParse(origin) ? new URL(origin) : undefined
  const known = url && /^https?:$/.test(url.protocol) && guard.allowedOrigins.includes(url.hostname)
  return known ? undefined : 'The Origin header is not allowed here'
}
