import type { Template } from '@truename/uri-codec'
import type { MatchedValues } from './settle.ts'
import type { ReadTrace } from './trace.ts'

/** The spelling in which a URI differs from what expansion writes, by the names that `diagnose` of uri-codec uses. */
export type DeviationCode =
  /** Hexadecimal digits in lower case (RFC 3986 section 6.2.2.1). */
  | 'hex-case'
  /** A triplet for a character that needs none (RFC 3986 section 6.2.2.2). */
  | 'needless-escape'
  /** Query parameters in another order than the template names them. */
  | 'query-order'
  /** A character that must be percent-encoded, as it is. */
  | 'not-encoded'
  /** A `/` of a value, as it is. */
  | 'raw-slash'
  /** The scheme in another case (RFC 3986 section 6.2.2.1). */
  | 'scheme-case'

/** One kind of deviation in one place of a template. */
export interface Deviation {
  readonly code: DeviationCode
  /** The first place in the URI, in UTF-16 code units. */
  readonly index: number
  /** In how many places. */
  readonly count: number
  /** The variable in whose value it is; absent where it is in what the template itself says. */
  readonly variable?: string
}

/** A piece of a matched URI, exactly as received. */
export interface RawPiece {
  /** `literal`: text of the template; `delimiter`: what an operator writes; `key`: a member of a map; `value`. */
  readonly type: 'literal' | 'delimiter' | 'key' | 'value'
  readonly text: string
  /** The variable of a key or value. */
  readonly name?: string
}

/** A template that made a URI, and the values it was made from. */
export interface Match {
  readonly template: Template
  readonly uri: string
  /** Decoded once. A variable that is not there has no entry; `''` is a value. */
  readonly values: MatchedValues
  /** How the spelling differs from what expansion of `values` writes; empty where it does not. */
  readonly deviations: readonly Deviation[]
  /** The URI in pieces, still encoded: joined they are the URI, byte for byte. */
  readonly raw: readonly RawPiece[]
  /** The steps `match` and `decode` of a read. */
  readonly trace: ReadTrace
}
