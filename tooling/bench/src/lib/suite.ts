/** What `src/suites/NAME.ts` exports as `suite`: one section of the benchmark page. */
export interface Suite {
  /** The heading of the section. */
  readonly title: string
  /** Measures, and gives the Markdown below the heading: what was measured, tables, losses. */
  readonly run: (context: SuiteContext) => string | Promise<string>
}

export interface SuiteContext {
  /** Whether a rough run was asked for (`--quick`): fewer rounds, and nothing is written. */
  readonly quick: boolean
  /** Shows progress on the terminal. */
  readonly log: (line: string) => void
}
