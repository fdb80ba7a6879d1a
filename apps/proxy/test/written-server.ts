import type { ServerConfig } from '@truename/mcp-link'

/** What is written of a server that tests connect in memory. */
export const written = { command: 'node' }

/** The configuration of such a server. */
export const configOf = (id: string): ServerConfig => ({
  ...written,
  id,
  kind: 'stdio',
  args: [],
  env: {},
  cwd: '/',
  options: {},
  written,
})
