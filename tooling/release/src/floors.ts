import type { ImportRule } from './imports.ts'

const browser = { node: false } as const
const floor2 = ['mcp-link', 'capability-negotiator']
const everything = [
  'uri-codec',
  'template-matcher',
  'capability-negotiator',
  'tool-registry',
  'call-gate',
  'decision-log',
  'prompt-prefix',
  'mcp-link',
  'sdk-v2',
]

/** The floors of `docs/architecture.md` as rules: what each package and application may import. */
export const floors: Readonly<Record<string, ImportRule>> = {
  'packages/uri-codec': { workspace: [], external: [], ...browser },
  'packages/capability-negotiator': { workspace: [], external: [], ...browser },
  'packages/tool-registry': {
    workspace: [],
    external: ['@noble/hashes', 'canonicalize', 'zod', 'unhomoglyph'],
    ...browser,
  },
  'packages/decision-log': {
    workspace: [],
    external: ['@noble/hashes', 'canonicalize', 'pg', 'zod'],
    node: ['src/file.ts', 'src/postgres.ts'],
  },
  'packages/template-matcher': { workspace: ['uri-codec'], external: [], ...browser },
  'packages/call-gate': {
    workspace: ['tool-registry'],
    external: ['@noble/hashes', 'jsonc-parser', 'zod', 'pg'],
    node: ['src/file.ts', 'src/postgres.ts'],
  },
  'packages/prompt-prefix': { workspace: ['tool-registry'], external: ['@noble/hashes'], ...browser },
  'packages/mcp-link': {
    workspace: ['capability-negotiator'],
    external: ['cross-spawn', 'eventsource-parser', 'jsonc-parser', 'zod'],
    node: true,
  },
  'packages/sdk-v1': {
    workspace: floor2,
    external: [/^@modelcontextprotocol\//, '@hono/node-server', 'zod'],
    node: true,
  },
  'packages/sdk-v2': { workspace: floor2, external: [/^@modelcontextprotocol\//], node: true },
  'apps/server': { workspace: everything, external: ['chokidar', 'commander', 'jsonc-parser'], node: true },
  'apps/proxy': { workspace: everything, external: ['commander', '@clack/prompts', 'zod'], node: true },
  'apps/host': { workspace: everything, external: ['commander'], node: true },
}
