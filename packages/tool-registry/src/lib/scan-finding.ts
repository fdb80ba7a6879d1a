import type { Severity } from './drift.ts'
import type { Key } from './key.ts'

/** What a scan can find. */
export type ScanCode =
  // characters
  | 'terminal-escape'
  | 'control-character'
  | 'bidi-control'
  | 'tag-characters'
  | 'variation-selectors'
  | 'invisible-character'
  | 'direction-mark'
  | 'private-use-character'
  | 'lone-surrogate'
  | 'unusual-space'
  | 'stacked-marks'
  | 'mixed-script-word'
  | 'styled-letters'
  // words
  | 'addresses-model'
  | 'overrides-instructions'
  | 'hides-from-user'
  | 'imitates-markup'
  | 'asks-for-secrets'
  | 'names-private-files'
  | 'hidden-markup'
  | 'remote-image'
  | 'padding'
  | 'names-other-tool'
  // names and structure
  | 'illegal-name'
  | 'case-twins'
  | 'confusable-names'
  | 'homograph'
  | 'not-normalised'
  | 'repeated-name'
  | 'nameless'
  | 'shared-name'
  | 'secret-parameter'
  | 'unsafe-uri'

/** A character of a finding. */
export interface FoundCharacter {
  /** `U+200B` */
  readonly codePoint: string
  /** Where it stands in the text, in UTF-16 code units. */
  readonly index: number
}

/** Something in a surface that its reader should see before approving it. */
export interface ScanFinding {
  readonly code: ScanCode
  readonly severity: Severity
  readonly server: string
  /** The definition it stands in, where that has a name. */
  readonly key: Key | undefined
  /** JSON Pointer from the surface, to the text or to the member whose name it is. */
  readonly pointer: string
  /** The characters, for findings about characters; at most 32. */
  readonly characters: readonly FoundCharacter[]
  /** The text around it with everything made visible; safe for terminals. Never to be given to a model. */
  readonly excerpt: string
  /** What was found and why it matters, in words that hold no text of the server's. */
  readonly message: string
  /** The keys it is mistaken for or collides with. */
  readonly others?: readonly Key[] | undefined
}
