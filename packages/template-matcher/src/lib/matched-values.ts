/** What a matched variable holds: a text, a list, or a map. */
export type MatchedValue = string | readonly string[] | { readonly [member: string]: string }

/** Values by variable; a variable that is not there has no entry. */
export type MatchedValues = { readonly [variable: string]: MatchedValue }

/** Decodes once; the text is known to be well-formed. */
export const decodeOnce = (text: string): string => (text.includes('%') ? decodeURIComponent(text) : text)

/** Sets an own property, whatever its name. */
export function setOwn<T>(target: Record<string, T>, name: string, value: T): void {
  if (name === '__proto__')
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })
  else target[name] = value
}
