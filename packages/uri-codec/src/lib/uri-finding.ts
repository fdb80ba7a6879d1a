/** The wrong encoders that `diagnose` knows by what they do to a text. */
export type EncoderName =
  | 'Python urllib.parse.quote'
  | 'Python urllib.parse.quote_plus'
  | 'encodeURI'
  | 'encodeURIComponent'
  | 'escape'
  | 'URLSearchParams'
  | 'new URL().href'
  | 'Go url.PathEscape'

/** What each mistake is, as people read it. The keys are the codes of findings. */
export const faults = {
  'plus-for-space':
    'a space was written as "+", which is a plus sign outside form-encoded queries; write %20',
  'plus-read-as-space': 'a plus sign became a space: it was read by the rule for forms',
  'double-encoding': 'percent-encoded more than once (%25 before each code)',
  'not-encoded': 'a character that must be percent-encoded was sent as it is',
  'raw-percent': 'a "%" was sent as it is; write %25',
  'raw-slash':
    'a "/" within a value was sent as it is and now separates segments; write %2F, or use {+var} or {/var*}',
  'raw-delimiter': 'a "?" or "#" within a value was sent as it is and now starts a query or fragment',
  'cut-at-delimiter':
    'the value ends where its "?" or "#" stood: it was sent as it is and the rest taken for query or fragment',
  'whole-uri-encoded': 'the whole URI was percent-encoded, its delimiters too; encode the values only',
  'reserved-encoded': 'a delimiter was percent-encoded, so that it no longer separates',
  'needless-escape': 'percent-encoded although it is unreserved: equal by RFC 3986, but other text',
  'hex-case': 'hexadecimal digits in the other case: equal by RFC 3986, but other text',
  normalization: 'another Unicode normalization form (NFC or NFD): looks the same, is other text',
  'lone-surrogate': 'half of a surrogate pair, which no URI can carry',
  'cesu-8': 'surrogates were encoded one by one (CESU-8), which is no UTF-8',
  'other-charset': 'encoded in another character set than UTF-8',
  mojibake: 'UTF-8 was read as Latin-1 and encoded again',
  'replacement-character': 'a character was lost and replaced',
  'percent-u': 'written as %uXXXX, which no URI has',
  'html-escape': 'an "&" was escaped as in HTML',
  'operator-ignored': 'the operator of the expression was ignored, as if it were {var}',
  'explode-ignored': 'the "*" of the expression was ignored',
  'not-expanded': 'the expression itself was sent in place of its value',
  'undefined-written': 'a variable without a value was written, as empty or as "undefined" or "null"',
  'query-order': 'query parameters are in another order',
  'scheme-case': 'the scheme is in another case: equal by RFC 3986, but other text',
  'host-case': 'the host is in another case, as after a URL parser',
  'case-changed': 'letters are in another case; names are case-sensitive',
  'slash-added': 'a slash was added, as a URL parser does',
  'slash-dropped': 'a slash is missing',
  'port-dropped': 'the port is missing, as after a URL parser',
  'dots-collapsed': '"." and ".." segments were resolved, as a URL parser does',
  backslash: 'a backslash became a slash, or a slash a backslash',
  'control-dropped': 'a tab or line break was removed, as a URL parser does',
  'fragment-dropped': 'the fragment is missing',
  'query-dropped': 'the query is missing',
  'decoded-early':
    'this is the URI after decoding: sent so, or decoded before its segments were cut out; the raw request tells which',
  'decoded-twice': 'decoded once too often: what decoding gave was decoded again',
  'not-decoded': 'was not decoded',
  'cut-after-decoding': 'one segment only: decoded first and cut at "/" after that; cut first',
  different: 'other text than was meant',
} as const

/** What kind of mistake a finding names. */
export type UriFaultCode = keyof typeof faults

/** One kind of mistake in a received URI. */
export interface UriFinding {
  readonly code: UriFaultCode
  /** One sentence: what is wrong, where it matters in which variable, and what to do. Holds no received text. */
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
