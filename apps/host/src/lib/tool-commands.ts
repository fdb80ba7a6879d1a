import {
  type Family,
  type Json,
  type JsonObject,
  type KeyMeta,
  keyMeta,
  type Upstream,
} from '@truename/mcp-link'
import { type ExitCode, exitCodes } from './exit-code.ts'
import { HostError } from './host-error.ts'
import { exitCodeOf, refusalOf } from './outcome-exit.ts'
import { jsonText, type Output, shown, table } from './output.ts'
import { readArguments } from './tool-arguments.ts'

/** One listed tool: the name a model calls it by, and the pair that it is. */
export interface ListedTool {
  readonly flat: string
  readonly server: string
  readonly tool: string
  readonly definition: JsonObject
}

/** The listed tools as pairs; without a proxy that says otherwise they are the endpoint's own. */
export function toolsOf({ items }: Family, endpoint: string): readonly ListedTool[] {
  return items.flatMap((definition) => {
    const { name } = definition
    if (typeof name !== 'string') return []
    const key = (definition._meta as JsonObject | undefined)?.[keyMeta] as Partial<KeyMeta> | undefined
    return [{ flat: name, server: key?.server ?? endpoint, tool: key?.name ?? name, definition }]
  })
}

/** Shows pairs and flat names. */
export function showTools(tools: readonly ListedTool[], json: boolean, output: Output): ExitCode {
  if (json) {
    output.line(jsonText(tools))
  } else if (tools.length === 0) {
    output.note('no tools are listed')
  } else {
    const rows = tools.map(({ flat, server, tool }) => [shown(flat), shown(server), shown(tool)])
    output.line(table([['FLAT NAME', 'SERVER', 'TOOL'], ...rows]))
  }
  return exitCodes.ok
}

/** What a call is made with, as it was typed. */
export interface CallRequest {
  readonly flat: string
  readonly json?: string | undefined
  readonly pairs: readonly string[]
}

/**
 * Calls a listed tool by its flat name and shows the result.
 * @throws HostError where nothing of this name is listed, or the arguments cannot be read
 */
export async function callTool(
  upstream: Upstream,
  tools: readonly ListedTool[],
  { flat, json, pairs }: CallRequest,
  asJson: boolean,
  output: Output,
): Promise<ExitCode> {
  const tool = tools.find((one) => one.flat === flat)
  if (!tool) throw new HostError(unknownTool(flat, tools), exitCodes.notFound)
  const args = readArguments(json, pairs, tool.definition.inputSchema)
  const outcome = await upstream.request('tools/call', { name: flat, arguments: args })
  const exitCode = exitCodeOf(outcome)
  if (asJson) output.line(jsonText({ server: tool.server, tool: tool.tool, ...outcome }))
  if (outcome.kind === 'input_required') {
    output.note(`${flat} asks for input before it goes on; this host has none to give`)
  } else if (outcome.kind === 'error') {
    output.note(`${flat}: ${shown(outcome.error.message)} (${outcome.error.code})`)
  } else {
    const refusal = refusalOf(outcome)
    if (refusal)
      output.note(`refused: ${shown(`${refusal.server}/${refusal.name}`)} (${shown(String(refusal.reason))})`)
    if (!asJson) for (const line of contentLines(outcome.value)) output.text(`${line}\n`)
  }
  return exitCode
}

function unknownTool(flat: string, tools: readonly ListedTool[]): string {
  const sameTool = tools.filter(
    ({ tool, flat: listed }) => tool === flat || listed.toLowerCase() === flat.toLowerCase(),
  )
  const names = (sameTool.length > 0 ? sameTool : tools).map((tool) => shown(tool.flat))
  const hint =
    names.length === 0
      ? 'no tools are listed'
      : `${sameTool.length > 0 ? 'did you mean' : 'there are'} ${names.slice(0, 20).join(', ')}`
  return `no tool is listed as ${JSON.stringify(flat)}; ${hint}`
}

function contentLines({ content, structuredContent }: JsonObject): readonly string[] {
  const blocks = Array.isArray(content) ? content : []
  if (blocks.length === 0 && structuredContent !== undefined) return [jsonText(structuredContent)]
  return blocks.map(contentLine)
}

function contentLine(block: Json): string {
  if (typeof block !== 'object' || block === null || Array.isArray(block)) return JSON.stringify(block)
  const { type, text, uri, name, mimeType, data, resource } = block as JsonObject
  if (type === 'text' && typeof text === 'string') return text
  if (type === 'resource_link') return `[link] ${String(name)}  ${String(uri)}`
  if (type === 'resource' && typeof resource === 'object') {
    const embedded = resource as JsonObject
    return typeof embedded.text === 'string' ? embedded.text : `[resource] ${String(embedded.uri)}`
  }
  if (typeof data === 'string')
    return `[${String(type)}] ${String(mimeType)}, ${Buffer.byteLength(data, 'base64')} bytes`
  return JSON.stringify(block)
}
