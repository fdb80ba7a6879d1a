import type { Json, JsonObject, KeyMeta, Upstream } from '@truename/mcp-link'
import { foldName, keyMeta } from '@truename/mcp-link'
import { expandTemplate, parseTemplate, type VariableSpec } from '@truename/uri-codec'
import type { Candidate } from './candidate.ts'

/** What was listed, just now. */
export interface Listing {
  readonly resources: readonly JsonObject[]
  readonly templates: readonly JsonObject[]
}

/** A listed template with one variable: a name or path fills it. */
export interface OpenTemplate {
  readonly server: string
  readonly template: string
  readonly variable: VariableSpec
}

/** The documents that are offered, and the templates that a name could fill. */
export interface Offer {
  readonly candidates: readonly Candidate[]
  /** Templates whose values the server does not complete: only filling them shows what they hold. */
  readonly open: readonly OpenTemplate[]
}

/**
 * Gathers what a name could mean: the listed resources, and for each listed template with one variable the values
 * the server completes, first for what was asked and then for nothing, since servers may compare letter by letter.
 */
export async function gatherOffer(upstream: Upstream, listing: Listing, asked: string): Promise<Offer> {
  const listed = listing.resources.flatMap((resource) => listedCandidate(upstream.serverId, resource))
  const open: OpenTemplate[] = []
  const completed: Candidate[] = []
  for (const described of listing.templates) {
    const template = openTemplate(upstream.serverId, described)
    if (!template) continue
    const values = await completionOf(upstream, template, asked)
    if (!values) open.push(template)
    completed.push(...(values ?? []).flatMap((value) => templateCandidate(template, value) ?? []))
  }
  return { candidates: [...listed, ...completed], open }
}

/** The candidate that a value of a template makes; `undefined` where the value cannot stand in it. */
export function templateCandidate(open: OpenTemplate, value: string): Candidate | undefined {
  const { server, template, variable } = open
  try {
    const segments = value.split('/')
    const values = { [variable.name]: isPath(variable) ? segments : value }
    const uri = expandTemplate(template, values)
    const also = isPath(variable) ? fileNames(segments.at(-1) ?? '') : []
    return { server, name: value, also, uri, from: { kind: 'template', template, values } }
  } catch {
    return undefined
  }
}

/** A file goes by its name with and without what stands after the last dot. */
function fileNames(last: string): readonly string[] {
  const stem = last.replace(/(?<=.)\.[^.]+$/, '')
  return stem === last ? [last] : [last, stem]
}

/** The identifier form is declared by the template: only an exploded variable takes a list of segments. */
function isPath(variable: VariableSpec): boolean {
  return variable.explode
}

function listedCandidate(serverId: string, resource: JsonObject): readonly Candidate[] {
  const { uri, name, title } = resource
  if (typeof uri !== 'string') return []
  const shown = typeof name === 'string' ? name : uri
  const also = typeof title === 'string' ? [title] : []
  return [{ server: serverOf(resource, serverId), name: shown, also, uri, from: { kind: 'listed' } }]
}

function openTemplate(serverId: string, described: JsonObject): OpenTemplate | undefined {
  const { uriTemplate } = described
  if (typeof uriTemplate !== 'string') return undefined
  try {
    const expressions = parseTemplate(uriTemplate).nodes.filter((node) => node.type === 'expression')
    const variables = expressions.flatMap((expression) => expression.variables)
    const [variable] = variables
    if (!variable || variables.length !== 1) return undefined
    return { server: serverOf(described, serverId), template: uriTemplate, variable }
  } catch {
    // A template that does not parse cannot be filled; the server's others can.
    return undefined
  }
}

/** The configured id of the server a listed thing comes from: said by a proxy, else the endpoint's own. */
export function serverOf(listed: JsonObject, endpoint: string): string {
  const key = (listed._meta as JsonObject | undefined)?.[keyMeta] as Partial<KeyMeta> | undefined
  return typeof key?.server === 'string' ? key.server : endpoint
}

async function completionOf(
  upstream: Upstream,
  { template, variable }: OpenTemplate,
  asked: string,
): Promise<readonly string[] | undefined> {
  const complete = async (value: string): Promise<readonly string[] | undefined> => {
    const outcome = await upstream.request('completion/complete', {
      ref: { type: 'ref/resource', uri: template },
      argument: { name: variable.name, value },
    })
    if (outcome.kind !== 'result') return undefined
    const values = (outcome.value.completion as JsonObject | undefined)?.values
    return Array.isArray(values) ? values.filter((one: Json) => typeof one === 'string') : undefined
  }
  const close = await complete(asked)
  if (close === undefined || close.some((value) => foldName(value) === foldName(asked))) return close
  return [...close, ...((await complete('')) ?? [])]
}
