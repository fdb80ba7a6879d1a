import type { Family } from '@truename/mcp-link'

/** JSON-RPC 2.0 §5.1. Several servers declare resources and have no templates: that list is empty, no more. */
const methodNotFound = -32601

/** What was odd about a listing, and what stopped it before its end, one line each. */
export function problemsOf({ warnings, error }: Pick<Family, 'warnings' | 'error'>): readonly string[] {
  return error && error.code !== methodNotFound
    ? [...warnings, `a list is incomplete: ${error.message}`]
    : warnings
}
