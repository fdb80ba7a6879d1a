/**
 * The form in which people's spellings of one name meet: letter case, Unicode normalisation and spacing are
 * forgiven. For finding only: two names with one folded form are still two names, and what is sent to a server is
 * the name as it was found, never this form.
 * @see UAX #15 (NFKC); UAX #44 for the white space that `\s` stands for
 */
export function foldName(name: string): string {
  // By way of upper case: `ß` and `SS`, `ς` and `σ` meet only there, and `ẞ` only by way of `ß`.
  const folded = name.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase()
  return foldSpaces(folded.normalize('NFKC'))
}

/** {@link foldName} that also forgives marks: `Отчет` finds `Отчёт`, `resume` finds `résumé`. */
export function foldMarks(name: string): string {
  const bare = foldName(name)
    .normalize('NFKD')
    .replace(/\p{Mark}+/gu, '')
  return foldSpaces(bare.normalize('NFKC'))
}

function foldSpaces(text: string): string {
  return text.replace(/\s+/gu, ' ').trim()
}
