const { raw } = String

// What secrets are called in texts.
const passwords = 'pass(?:word|wd|phrase|code)|pwd'
const called = `${passwords}|secret|jwt|token|(?:api|access|account|private|signing|encryption)[-_ ]?key|authorization|credential|session[-_ ]?id`
const optionsCalled = `${passwords}|pass|secret|jwt|token|(?:api|access|private|secret)[-_]?key|credential`
const parametersCalled = raw`key|sig|signature|auth|hmac|otp|pin|pw|sid|session|code(?=(?:=|%3d)[\w.~/%-]{16})|[\w-]{0,30}[-_](?:key|sig|signature)`
// What parameters of another scheme's URI are called says nothing: they are a part of what a server calls its resource.
const ofResource = raw`(?<!(?<![^\s"'<>(\x60])(?!https?:|wss?:)[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'<>]{0,300}[?&])`
const schemes =
  'bearer|basic|token|api-?key|key|digest|negotiate|ntlm|hawk|dpop|signature|sharedkey(?:lite)?|aws4-hmac-sha256|oauth|mac|gnap'

// What begins a word, also in a JSON text in a text, where the letter of an escape stands before it.
const begins = (before: string): string => raw`(?:(?<!${before})|(?<=\\[bfnrt]))`
const wordStart = begins(raw`[\w-]`)
const edge = begins(raw`\w`)
const schemeStart = begins('[a-z0-9+.-]')
const letterStart = begins('[a-z]')
const gap = raw`(?:[\s"']|\\[bfnrt])`

// A quotation mark, which a JSON text in a text escapes.
const quote = raw`\\?["']?`
const notYet = raw`(?!${quote}\[redacted\])`
// In brackets, the names and values of a JSON text.
const brackets = raw`[{[][^{}[\]]{0,2000}[}\]]`
// Up to the end of its quotes, of its brackets, or of the word. Brackets in brackets stay, for their ends are not told.
const value = raw`(?:${brackets}|(?![{[]\s{0,9}(?:\\{0,15}["'{[\]}]|$))(?:"(?:[^"\\]|\\.)+|\\"(?:[^"\\]|\\[^"])+|'[^']+|[^\s"'&,;\\]+))`
const is = raw`(?:[:=]{1,3}>?|%3[ad])`
// Numbers called tokens are counts.
const count = raw`(?:\\{0,15}"[^"\\]{0,40}\\{0,15}"\s{0,9}:\s{0,9})?\d{1,12}(?:\.\d{1,12})?`
const notCounted = raw`(?!(?<=tokens\W{1,20})(?:\d{1,12}(?![\w~+/=-])|[{[](?:[\s,]{0,9}${count}){0,50}\s{0,9}[}\]]))`
// Between an option and its value, on a command line or in a list.
const argument = raw`(?:\s{1,9}|\\?["']\s{0,9},\s{0,9})`
const parameter = raw`[\w.-]{1,40}=(?:\\?"[^"\\]{0,2000}|[^\s,;"'\\]+)`

// In prose a name is followed by many words. One with a digit and a letter in it is not one of them.
const prose = raw`\s{1,9}(?:(?:is|was|value|hash|of)\s{1,9}){0,2}(?:\\?["'\x60]|[(<[]){0,2}`
const character = raw`[\w.~+/=!@#$%^&*-]`
const notDate = raw`(?!\d{4}-\d\d-\d\d)`
const digitIn = raw`(?=${character}{0,200}?\d)`
const letterIn = raw`(?=${character}{0,200}?[a-z])`

// Behind `basic` stands Base64, or a word that goes on: it has no digit, and no capital but the first or all of them.
const credentials = raw`(?=[\w.~+/-]{0,1000}?(?:\d|=|[a-z][A-Z]|[A-Z]{2}[a-z]))`

const pattern = (source: string, flags = 'i'): RegExp => new RegExp(source, flags)

/**
 * Texts that are secrets by their form, wherever they stand. The part to keep, if any, is the group `keep`. Repeats
 * that something must follow are bounded, so that the work is linear in the text.
 */
export const secretTexts: readonly RegExp[] = [
  pattern(raw`(?<keep>${edge}bearer\s{1,9})[\w.~+/=-]{6,}`),
  pattern(raw`(?<keep>${edge}(?:[Bb]asic|BASIC)\s{1,9})${credentials}[\w.~+/=-]{6,}`, ''),
  pattern(raw`${wordStart}eyJ[\w-]{8,1000}\.[\w-]{8,}(?:\.[\w-]*)?`, ''),
  pattern(
    raw`${wordStart}(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|npm_\w{20,}|xox[a-z]-[\w-]{10,}|xapp-[\w-]{16,}|sk-[\w-]{16,}|[rs]k_(?:live|test)_\w{10,}|whsec_\w{16,}|hf_\w{20,}|pypi-[\w-]{16,}|shp(?:at|ca|pa|ss)_\w{16,}|sbp_\w{16,}|dop_v1_\w{16,}|(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[\w-]{30,})`,
    '',
  ),
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/,
  // A password may hold an at sign that should have been encoded: the last one ends it (as WHATWG URL has it).
  pattern(
    raw`(?<keep>${schemeStart}[a-z][a-z0-9+.-]{0,20}://[^\s/?#"'\\:]{0,200}:)(?!\[redacted\]@)[^\s/?#"'\\]{1,1000}(?=@)`,
  ),
  // Nobody logs in to a web page with a name alone: it is a token.
  pattern(
    raw`(?<keep>${schemeStart}(?:git\+)?(?:https?|wss?)://)(?!\[redacted\]@)[^\s/?#"'\\:]{1,1000}(?=@)`,
  ),
  // The same in a parameter of another URL.
  /(?<keep>%3a%2f%2f[^\s/?#"'\\:%]{0,200}%3a)(?!\[redacted\])[^\s/?#"'\\]{1,1000}?(?=%40)/i,
  /(?<keep>cookie\\?["']?\s{0,9}[:=]\s{0,9}\\?["']?)[^\s=;,"'\\]{1,256}=[^\s;,"'\\]*(?:;\s{0,9}[^\s=;,"'\\]{1,256}(?:=[^\s;,"'\\]*)?)*/i,
  pattern(
    raw`(?<keep>authorization${quote}\s{0,9}[:=]\s{0,9}${quote}(?:${schemes})\s{1,9})(?!\[redacted\])(?:${parameter}|[^\s"'\\,;]+)(?:[\s,;"\\]{1,9}${parameter})*`,
  ),
  pattern(
    raw`(?<keep>(?:(?:${called})s?|${letterStart}(?:db|pg|user|admin|root|smtp|mail|login|redis|mysql)?pass(?=\\?["']?\s{0,9}=|\\?["']\s{0,9}:))${quote}\s{0,9}${is}\s{0,9})${notYet}${notCounted}${value}`,
  ),
  pattern(
    raw`(?<keep>(?:[?&]${ofResource}|\\u0026|%3f|%26)(?:${parametersCalled})(?:=|%3d))(?!\[redacted\])[^\s"'\x60&#,;\\<>]+`,
  ),
  pattern(
    raw`(?<keep>${wordStart}--?(?:[\w-]{0,40}[-_])?(?:${optionsCalled})s?${argument})(?!-|\[redacted\])${value}`,
  ),
  pattern(raw`(?<keep>${wordStart}-pass(?:in|out)\s{1,9}pass:)(?!\[redacted\])[^\s"'\\]+`),
  // A group's number may stand behind a user's, and a path behind a machine.
  pattern(
    raw`(?<keep>${wordStart}(?:-u|--(?:proxy-)?user)(?:${argument}|=)["']?[^\s:"'\\]{1,200}:)(?!\[redacted\]|\/|\d+(?![^\s"'\\]))[^\s"'\x60\\]+`,
  ),
  // Elsewhere the option is a port, a path or a project: here it is behind a user's name, or where one logs in.
  pattern(
    raw`(?<keep>${wordStart}(?:-u|--user(?:name)?)(?:${argument}|=)["'\\]{0,2}[^\s"'\\]{1,100}[\s"'\\](?:[^\n]{0,100}${gap})?-p${argument})(?!-|\[redacted\]|["']?[\d.]{1,15}(?::|(?![^\s"'\\])))${value}`,
    '',
  ),
  pattern(
    raw`(?<keep>${edge}(?:sshpass|(?:docker|podman|registry|az|oc|cf) login|mysql(?:dump|admin)?|mariadb|mongosh?)\b[^\n|;]{0,200}${gap}-p(?!ort|ass|[\s"'\\])|${edge}(?:sshpass|(?:docker|podman|registry|az|oc|cf) login|mongosh?)\b[^\n|;]{0,200}${gap}-p${argument})(?!-|\[redacted\])${value}`,
    '',
  ),
  pattern(
    raw`(?<keep>${wordStart}-p${argument}["']?)(?=\w{0,40}[a-z])(?=\w{0,40}[A-Z])(?=\w{0,40}\d)[\w!#$%^&*+=~-]{8,200}(?![^\s"'\\])`,
    '',
  ),
  pattern(raw`(?<keep>(?:${passwords})s?${prose})${notDate}${digitIn}${character}{4,1000}`),
  pattern(
    raw`(?<keep>(?:${passwords})s?\s{1,9}(?:(?:is|was)\s{1,9})?)(?:\\?"(?!\[redacted\])[^"\\]+|'(?!\[redacted\])[^']+|\x60(?!\[redacted\])[^\x60]+)`,
  ),
  pattern(raw`(?<keep>(?:${called})s?${prose})${notDate}${digitIn}${letterIn}${character}{8,1000}`),
]
