/** What stands where a secret was. */
export const redacted = '<redacted>'

const secretName =
  /(?:^|[-_.])(?:api[-_]?key|key|token|secret|passw(?:or)?d|pwd|pat|credentials?|auth(?:orization)?|bearer|cookie|signature|sig)$/i

/** Shapes of tokens that are secrets wherever they stand. */
const secretValues =
  /\b(?:sk-[\w-]{8,}|gh[pousr]_\w{8,}|github_pat_\w+|glpat-[\w-]{8,}|xox[abprs]-[\w-]+|AKIA[A-Z0-9]{12,}|eyJ[\w-]+\.[\w-]+\.[\w-]*|sbp_\w+)/g

/** `name=value` and `name: value` inside one argument, as shells and header options have them. */
const named = /([A-Za-z_][\w.-]*)(=|:[ \t]*)("[^"]*"|'[^']*'|(?:Bearer|Basic|Token)[ \t]+[^\s"']+|[^\s"'&]+)/g

const isReference = (value: string): boolean => /\$\{?\w+\}?$/.test(value)

const isSecretName = (name: string): boolean =>
  secretName.test(name.replace(/^-+/, '').replaceAll(/([a-z])([A-Z])/g, '$1-$2'))

/**
 * Command-line arguments with secrets taken out: values of options, variables and headers whose names say so, and
 * tokens known by their shape. References to variables stay.
 */
export function redactArguments(args: readonly string[]): string[] {
  return args.map((arg, index) => {
    const before = args[index - 1]
    if (before !== undefined && /^--?[^=\s]+$/.test(before) && isSecretName(before) && !arg.startsWith('-')) {
      return isReference(arg) ? arg : redacted
    }
    return redactText(arg)
  })
}

/**
 * The value of a variable of the environment with secrets taken out: all of it where the name says so, and else what
 * looks like one (the password of an index's URL). References to variables stay.
 */
export const redactVariable = (name: string, value: string): string =>
  (isSecretName(name) || /(?:_|^)(?:auth|tokens|keys|secrets|passwords)$/i.test(name)) && !isReference(value)
    ? redacted
    : redactText(value)

function redactText(text: string): string {
  const withoutNamed = text.replaceAll(named, (whole, name: string, mark: string, value: string) =>
    isSecretName(name) && !isReference(value) ? `${name}${mark}${redacted}` : whole,
  )
  const withoutOptions = withoutNamed.replaceAll(
    /(--?[\w-]+)([ \t]+)(?!-)(\S+)/g,
    (whole, option: string, space: string, value: string) =>
      isSecretName(option) && !isReference(value) ? `${option}${space}${redacted}` : whole,
  )
  return redactUrl(withoutOptions).replaceAll(secretValues, redacted)
}

/** A URL with the password of its authority and the values of secret query parameters taken out. */
export function redactUrl(url: string): string {
  return url
    .replaceAll(
      /([A-Za-z][\w+.-]*:\/\/[^\s/?#@:]*):([^\s/?#@]*)@/g,
      (whole, start: string, password: string) => (isReference(password) ? whole : `${start}:${redacted}@`),
    )
    .replaceAll(/([?&])([^\s=&#]+)=([^\s&#]*)/g, (whole, mark: string, name: string, value: string) =>
      isSecretName(name) && !isReference(value) ? `${mark}${name}=${redacted}` : whole,
    )
    .replaceAll(secretValues, redacted)
}
