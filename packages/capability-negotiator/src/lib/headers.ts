import { type JsonObject, own } from './json.ts'
import { eraOf } from './versions.ts'

const SENTINEL = /^=\?base64\?.*\?=$/
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/

/** Base64 of a text's UTF-8 (RFC 4648, §4). A lone surrogate becomes U+FFFD, as in any UTF-8 encoder. */
function base64(text: string): string {
  const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  const bytes = utf8(text)
  let out = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b = 0, c = 0] = bytes.slice(at, at + 3)
    const left = bytes.length - at
    out += ALPHABET[a >> 2]
    out += ALPHABET[((a & 3) << 4) | (b >> 4)]
    out += left > 1 ? ALPHABET[((b & 15) << 2) | (c >> 6)] : '='
    out += left > 2 ? ALPHABET[c & 63] : '='
  }
  return out
}

function utf8(text: string): readonly number[] {
  const bytes: number[] = []
  for (const character of text) {
    let code = character.codePointAt(0) ?? 0
    if (code >= 0xd800 && code <= 0xdfff) code = 0xfffd
    if (code < 0x80) bytes.push(code)
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 63))
    else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63))
    else {
      bytes.push(
        0xf0 | (code >> 18),
        0x80 | ((code >> 12) & 63),
        0x80 | ((code >> 6) & 63),
        0x80 | (code & 63),
      )
    }
  }
  return bytes
}

/**
 * A value made safe for an HTTP header (2026-07-28, Streamable HTTP, §Value Encoding): as it is where it is visible
 * ASCII, else `=?base64?…?=`: non-ASCII, controls, space at either end, the empty text, and what looks encoded.
 */
export function encodeHeaderValue(value: string): string {
  return PLAIN.test(value) && !SENTINEL.test(value) ? value : `=?base64?${base64(value)}?=`
}

const NAMED: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
}

/**
 * The HTTP headers of one message at a version. Legacy: the negotiated `MCP-Protocol-Version`. Modern: the version,
 * `Mcp-Method`, and `Mcp-Name` for `tools/call`, `prompts/get` and `resources/read`.
 */
export function headersFor(
  version: string,
  message: { readonly method: string; readonly params?: JsonObject | undefined },
): Record<string, string> {
  const headers: Record<string, string> = { 'MCP-Protocol-Version': version }
  if (eraOf(version) !== 'modern') return headers
  headers['Mcp-Method'] = encodeHeaderValue(message.method)
  const member = Object.hasOwn(NAMED, message.method) ? NAMED[message.method] : undefined
  const name = member === undefined ? undefined : own(message.params, member)
  if (typeof name === 'string') headers['Mcp-Name'] = encodeHeaderValue(name)
  return headers
}

const PREFIX = 'io.modelcontextprotocol/'

/** The `_meta` members every modern request carries (2026-07-28, §_meta): the version, the client, what it can do. */
export function metaFor(
  version: string,
  client: { readonly info: JsonObject; readonly capabilities: JsonObject },
  more: { readonly capabilities?: JsonObject | undefined; readonly logLevel?: string | undefined } = {},
): JsonObject {
  return {
    [`${PREFIX}protocolVersion`]: version,
    [`${PREFIX}clientInfo`]: client.info,
    [`${PREFIX}clientCapabilities`]: more.capabilities ?? client.capabilities,
    ...(more.logLevel === undefined ? {} : { [`${PREFIX}logLevel`]: more.logLevel }),
  }
}
