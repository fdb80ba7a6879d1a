/** The wrong encoders that `diagnose` knows by what they do to a text. */
export type EncoderName =
  | 'Python urllib.parse.quote'
  | 'Python urllib.parse.quote_plus'
  | 'encodeURI'
  | 'encodeURIComponent'
  | 'URLSearchParams'
  | 'new URL().href'
  | 'Go url.PathEscape'

/**
 * What kind of mistake a finding names: what was done to spaces and plus signs, to percent-encoding, to delimiters within
 * values, to Unicode, to the template, by a URL parser, by a receiver.
 */
export type UriFaultCode =
  | 'plus-for-space'
  | 'plus-read-as-space'
  | 'double-encoding'
  | 'not-encoded'
  | 'raw-percent'
  | 'needless-escape'
  | 'hex-case'
  | 'html-escape'
  | 'raw-slash'
  | 'raw-delimiter'
  | 'cut-at-delimiter'
  | 'reserved-encoded'
  | 'whole-uri-encoded'
  | 'normalization'
  | 'case-changed'
  | 'lone-surrogate'
  | 'cesu-8'
  | 'other-charset'
  | 'mojibake'
  | 'replacement-character'
  | 'operator-ignored'
  | 'explode-ignored'
  | 'not-expanded'
  | 'undefined-written'
  | 'query-order'
  | 'scheme-case'
  | 'host-case'
  | 'slash-added'
  | 'slash-dropped'
  | 'port-dropped'
  | 'dots-collapsed'
  | 'backslash-exchanged'
  | 'control-dropped'
  | 'query-dropped'
  | 'fragment-dropped'
  | 'decoded-early'
  | 'decoded-twice'
  | 'not-decoded'
  | 'cut-after-decoding'
  | 'different'

/** What is said of a mistake where its code alone does not say it. */
const explanations: { readonly [code in UriFaultCode]?: string } = {
  'plus-for-space': 'a space sent as "+"; write %20',
  'raw-slash': 'a "/" sent without encoding; write %2F, or use {+var} or {/var*}',
  'raw-delimiter': 'a "?" or "#" sent without encoding',
  'cut-at-delimiter': 'cut at a "?" or "#" sent without encoding',
  'decoded-early': 'sent without encoding, or decoded before it was cut',
}

/** A mistake in few words. */
export const inWords = (code: UriFaultCode): string => explanations[code] ?? code.replaceAll('-', ' ')

/** One kind of mistake in a received URI. */
export interface UriFinding {
  readonly code: UriFaultCode
  /** What is wrong, in which expression, and what to do, in few words. Holds no received text. */
  readonly message: string
  /** The first place of the mistake in the received text, in UTF-16 code units. */
  readonly index: number
  /** In how many places. */
  readonly count: number
  /** The URI that should have been sent; `undefined` where no URI can carry what was meant. */
  readonly repaired: string | undefined
  /** The wrong encoders that would have produced exactly this, where some would. */
  readonly encoder?: readonly EncoderName[]
}
