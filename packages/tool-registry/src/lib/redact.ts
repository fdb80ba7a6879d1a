/** What stands where a secret was. */
export const redacted = '<redacted>'

const secretName =
  /(?:^|[-_.])(?:api[-_]?key|key|token|secret|passw(?:or)?d|pwd|pat|credentials?|auth(?:orization)?|bearer|signature|sig)$/i

/** Shapes of tokens that are secrets wherever they stand. */
const secretValue =
  /^(?:sk-[\w-]{8,}|gh[pousr]_\w{8,}|github_pat_\w+|glpat-[\w-]{8,}|xox[abprs]-[\w-]+|AKIA[A-Z0-9]{12,}|eyJ[\w-]+\.[\w-]+\.[\w-]*|sbp_\w+|Bearer\s+(?!\$\{).+)$/

const isReference = (value: string): boolean => /^\$\{[^}]*\}$/.test(value)

const secretFlag = (flag: string): boolean =>
  secretName.test(flag.replace(/^-+/, '').replaceAll(/([a-z])([A-Z])/g, '$1-$2'))

/** Command-line arguments with the values of secret options taken out; references to variables stay. */
export function redactArguments(args: readonly string[]): string[] {
  return args.map((arg, index) => {
    const before = args[index - 1]
    if (before !== undefined && /^--?[^=]+$/.test(before) && secretFlag(before) && !arg.startsWith('-')) {
      return isReference(arg) ? arg : redacted
    }
    const option = /^(--?[^=]+|[A-Za-z_]\w*)=(.*)$/s.exec(arg)
    if (option && secretFlag(option[1] ?? '') && !isReference(option[2] ?? ''))
      return `${option[1]}=${redacted}`
    if (secretValue.test(arg)) return redacted
    return /^[A-Za-z][\w+.-]*:\/\//.test(arg) ? redactUrl(arg) : arg
  })
}

/** A URL with the password of its authority and the values of secret query parameters taken out. */
export function redactUrl(url: string): string {
  return url
    .replace(/^([A-Za-z][\w+.-]*:\/\/[^/?#@:]*):([^/?#@]*)@/, (whole, start: string, password: string) =>
      isReference(password) ? whole : `${start}:${redacted}@`,
    )
    .replaceAll(/([?&])([^=&#]+)=([^&#]*)/g, (whole, mark: string, name: string, value: string) =>
      (secretName.test(name) || secretValue.test(value)) && !isReference(value)
        ? `${mark}${name}=${redacted}`
        : whole,
    )
}
