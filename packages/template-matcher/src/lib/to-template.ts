import { parseTemplate, type Template } from '@truename/uri-codec'

const parsed = new Map<string, Template>()
const parsedLimit = 1000

/** Parses a template; characters that literals must not have are taken as text that was left unencoded. */
export const parseLeniently = (source: string): Template => parseTemplate(source, { literals: 'encode' })

/**
 * A template as `parseTemplate` gives it, parsed once for each text. Characters that literals must not have are taken
 * as text that was left unencoded, so that templates servers announce can be read all the same.
 */
export function toTemplate(template: Template | string): Template {
  if (typeof template !== 'string') return template
  let result = parsed.get(template)
  if (result === undefined) {
    result = parseLeniently(template)
    if (parsed.size >= parsedLimit) parsed.clear()
    parsed.set(template, result)
  }
  return result
}
