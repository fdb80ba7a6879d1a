/** What the gate says of a call. `ask` means a person decides. */
export type Verdict = 'allow' | 'ask' | 'deny'

const strictness: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 }

/** Whether `a` lets less through than `b`. */
export const isStricter = (a: Verdict, b: Verdict): boolean => strictness[a] > strictness[b]

/** The stricter of the two; `a` where they are equal. */
export const stricterOf = <T extends { readonly verdict: Verdict }>(a: T, b: T): T =>
  isStricter(b.verdict, a.verdict) ? b : a
