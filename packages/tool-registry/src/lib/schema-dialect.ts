/** A published draft of JSON Schema. */
export type SchemaDialect = 'draft-03' | 'draft-04' | 'draft-06' | 'draft-07' | '2019-09' | '2020-12'

const dialects: Readonly<Record<string, SchemaDialect>> = {
  'json-schema.org/draft-03/schema': 'draft-03',
  'json-schema.org/draft-04/schema': 'draft-04',
  'json-schema.org/draft-06/schema': 'draft-06',
  'json-schema.org/draft-07/schema': 'draft-07',
  'json-schema.org/draft/2019-09/schema': '2019-09',
  'json-schema.org/draft/2020-12/schema': '2020-12',
}

/**
 * The draft a `$schema` names: `http` or `https`, with or without an empty fragment. Absent means 2020-12 (MCP
 * 2025-11-25 and later, basic, JSON Schema usage); undefined where it names something else.
 */
export function dialectOf(declared: unknown): SchemaDialect | undefined {
  if (declared === undefined) return '2020-12'
  if (typeof declared !== 'string') return undefined
  const name = declared.replace(/^https?:\/\//, '').replace(/#$/, '')
  return Object.hasOwn(dialects, name) ? dialects[name] : undefined
}
