/** The environment that variables are taken from. */
export type Environment = Readonly<Record<string, string | undefined>>

/** What came of expanding a text. */
export type Expansion =
  | { readonly ok: true; readonly text: string }
  | {
      readonly ok: false
      readonly code: 'missing-variable' | 'unsupported-variable'
      readonly variable: string
    }

const reference = /\$\{([^{}]*)\}/g

/**
 * Replaces `${VAR}` and `${VAR:-default}` (also `${env:VAR}`, as VS Code writes it) by the value in the
 * environment; the default stands where the variable is unset or empty, as in a shell. The result is not expanded
 * again. Other `${…}` forms (`${input:…}`) ask a person and are not supported.
 */
export function expandVariables(text: string, env: Environment): Expansion {
  // A default that holds a variable of its own would be taken for text.
  const nested = /\$\{[^{}]*\$\{[^{}]*\}[^{}]*\}/.exec(text)
  if (nested) return { ok: false, code: 'unsupported-variable', variable: nested[0] }
  let failed: Expansion | undefined
  const expanded = text.replaceAll(reference, (whole, inside: string) => {
    const parts = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s.exec(inside)
    if (!parts) {
      failed ??= { ok: false, code: 'unsupported-variable', variable: whole }
      return ''
    }
    const name = parts[1] as string
    const value = Object.hasOwn(env, name) ? env[name] : undefined
    if (parts[2] !== undefined) return value === undefined || value === '' ? parts[2] : value
    if (value === undefined) failed ??= { ok: false, code: 'missing-variable', variable: name }
    return value ?? ''
  })
  return failed ?? { ok: true, text: expanded }
}
