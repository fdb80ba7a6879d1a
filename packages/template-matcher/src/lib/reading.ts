/**
 * Where one variable got its value: `spans` holds start and end in the matched text, twice for each member of a map
 * (key, value), once for each member of a list, and once for a text.
 */
export interface Occurrence {
  /** Its place in the expression, or among all of the template. */
  readonly variable: number
  readonly form: 'text' | 'list' | 'map'
  readonly spans: number[]
}
