/**
 * Where one occurrence of a variable got its value: `spans` holds start and end in the matched text, twice for each
 * member of a map (key, value), once for each member of a list, and once for a text.
 */
export interface Occurrence {
  readonly name: string
  readonly form: 'text' | 'list' | 'map'
  /** Code points, or 0. */
  readonly prefix: number
  readonly spans: readonly number[]
}
