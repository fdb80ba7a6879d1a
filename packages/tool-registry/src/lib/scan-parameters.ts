import { isObject, memberOf } from './json.ts'

const secret =
  /(?:^|_)(?:api_?keys?|access_?tokens?|auth_?tokens?|bearer|secrets?|secret_?keys?|passw(?:or)?ds?|passphrase|private_?keys?|ssh_?keys?|credentials?|session_?(?:id|token|cookie)|cookies?|conversation(?:_history)?|chat_?history|system_?prompt|env(?:ironment)?_?var(?:iable)?s)$/

/** Whether a parameter of this name asks for a secret or for the conversation. */
export const isSecretParameter = (name: string): boolean =>
  secret.test(
    name
      .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
      .replaceAll(/[-. ]/g, '_')
      .toLowerCase(),
  )

/** A parameter of a tool. */
export interface Parameter {
  readonly name: string
  /** JSON Pointer from the definition. */
  readonly pointer: string
}

/** The parameters of a tool's input schema, at any depth. */
export function parametersOf(definition: unknown): Parameter[] {
  const found: Parameter[] = []
  const schema = isObject(definition) ? memberOf(definition, 'inputSchema') : undefined
  const open: { value: unknown; pointer: string; isMap: boolean }[] = [
    { value: schema, pointer: '/inputSchema', isMap: false },
  ]
  const seen = new Set<object>()
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, pointer, isMap } = next
    if (typeof value !== 'object' || value === null || seen.has(value)) continue
    seen.add(value)
    for (const [member, child] of Object.entries(value)) {
      const at = `${pointer}/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`
      if (isMap) found.push({ name: member, pointer: at })
      open.push({ value: child, pointer: at, isMap: !isMap && member === 'properties' })
    }
  }
  return found
}
