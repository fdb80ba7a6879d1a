export type {
  Connected,
  ConnectFailure,
  ConnectOptions,
  HttpEndpoint,
  HttpOptions,
  ServerConfig,
  Service,
  StdioEndpoint,
  StdioOptions,
  Upstream,
} from '@truename/mcp-link'
export { type AuthProvider, connect, type SdkConnectOptions } from './lib/connect.ts'
export { legacyVersions } from './lib/legacy-versions.ts'
export { serveHttp } from './lib/serve-http.ts'
export { serveStdio } from './lib/serve-stdio.ts'
