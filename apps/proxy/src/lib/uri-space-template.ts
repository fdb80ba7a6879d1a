/** The variable that stands for whatever follows a recorded prefix. */
const rest = '{+rest}'

/** A template that expands to every URI beginning with a prefix; what no literal may hold is percent-encoded. */
export const literalTemplate = (prefix: string): string =>
  prefix.replaceAll(/[{}<>"\\^`| ]|%(?![0-9A-Fa-f]{2})/g, (character) => encodeURIComponent(character)) + rest
