import { headersFor } from '@truename/capability-negotiator'
import type { JsonObject } from './json.ts'

/** A header value as it was meant; `undefined` where its encoding is broken (2026-07-28, §Value Encoding). */
export function decodeHeaderValue(value: string): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/is.exec(value)?.[1]
  if (encoded === undefined) return value
  const bytes = Buffer.from(encoded, 'base64')
  // Node passes over what is no base64 and needs no padding; a header has to be exact (RFC 4648, §4).
  if (bytes.toString('base64') !== encoded) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/**
 * Why the headers of a modern POST do not fit its body, or `undefined` where they do: `MCP-Protocol-Version`,
 * `Mcp-Method` and, where the method has one, `Mcp-Name` have to be there and say what the body says.
 */
export function checkStandardHeaders(
  headers: Headers,
  message: { readonly method: string; readonly params: JsonObject; readonly version: string },
): string | undefined {
  for (const [header, value] of Object.entries(headersFor(message.version, message))) {
    const received = headers.get(header)
    if (received === null) return `${header} is missing`
    if (decodeHeaderValue(received.trim()) !== decodeHeaderValue(value))
      return `${header} does not say what the body says`
  }
  return undefined
}
