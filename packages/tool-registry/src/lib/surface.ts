import { isObject, type JsonObject, memberOf } from './json.ts'

/** What a server showed: everything a model or an operator can see, as it came. */
export interface Surface {
  readonly serverInfo?: object | null | undefined
  readonly capabilities?: object | undefined
  readonly era?: 'legacy' | 'modern' | undefined
  /** The negotiated protocol version. */
  readonly version?: string | undefined
  readonly instructions?: string | null | undefined
  /** All pages, in the order sent. Absent: not listed (the server has none to list). */
  readonly tools?: readonly unknown[] | undefined
  readonly prompts?: readonly unknown[] | undefined
  readonly resourceTemplates?: readonly unknown[] | undefined
  /** Concrete resources: data, not catalogue. They are scanned, and recorded only as a URI space. */
  readonly resources?: readonly unknown[] | undefined
}

/** The three lists that are catalogue. */
export type CatalogueList = 'tools' | 'prompts' | 'templates'

/** The member of a definition that names it. */
export const nameMember: Readonly<Record<CatalogueList, string>> = {
  tools: 'name',
  prompts: 'name',
  templates: 'uriTemplate',
}

/** The kind of the keys of a list. */
export const kindOf = { tools: 'tool', prompts: 'prompt', templates: 'resource' } as const

/** All definitions of one list, as sent. */
export const listOf = (surface: Surface, list: CatalogueList): readonly unknown[] =>
  (list === 'templates' ? surface.resourceTemplates : surface[list]) ?? []

/** The own name of a definition, or undefined if it has none that is a string. */
export function ownName(definition: unknown, list: CatalogueList): string | undefined {
  const name = isObject(definition) ? memberOf(definition, nameMember[list]) : undefined
  return typeof name === 'string' ? name : undefined
}

/** A plain object of JSON members, or an empty one. */
export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})
