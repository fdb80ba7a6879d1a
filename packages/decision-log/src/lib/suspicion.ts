// Whatever `secretKeys` or `secretTexts` take out of a value, this finds something in its JSON. It looks at the
// whole record once, where they look at every member and text of it.
const suspicion =
  /pass(?:word|wd|phrase|code|[^a-z])|pwd|secret|jwt|token|[a-z][-_ ]?key|authorization|cookie|credential|session|auth"|bearer|basic|otp"|ssn"|pin[-_ ]?code|eyj|gh[pousr]_|github_pat|glpat|npm_|xox|xapp-|sk-|[rs]k_(?:live|test)_|whsec_|hf_|pypi-|shp(?:at|ca|pa|ss)_|sbp_|dop_v1_|a[ks]ia|aiza|private key|:\/\/[^"@/?#]{0,8000}@/i

// Three characters that are in every match of some alternative of `suspicion`, and what stands before them there.
const marks: readonly (readonly [trigrams: readonly string[], before?: RegExp])[] = [
  [['pwd', 'ecr', 'jwt', 'oke', 'uth', 'oki', 'rer', 'otp', 'ssn']],
  [['ass'], /p/i],
  [['eyj', 'b_p', 'lpa', 'pm_', 'xox', 'xap', 'sk-', 'hf_', 'shp', 'sbp', 'aiz', '://']],
  [['_li', '_te'], /k/i],
  [['hse'], /w/i],
  [['ypi'], /p/i],
  [['p_v'], /o/i],
  [['key'], /[a-z_ -]/i],
  [['cod'], /[n_ -]/i],
  [['ssi'], /e/i],
  [['sic', 'kia', 'sia'], /a/i],
  [['tia'], /n/i],
  [['hp_', 'ho_', 'hu_', 'hs_', 'hr_'], /g/i],
]

const bits = 5
const window = (1 << (3 * bits)) - 1

// Letters by what they are, upper and lower case alike; all that no mark has is one.
const classes = new Uint8Array(256)
for (let code = 0; code < 26; code += 1) {
  classes[0x41 + code] = code + 1
  classes[0x61 + code] = code + 1
}
for (const [at, character] of ['-', '_', ':', '/'].entries()) classes[character.charCodeAt(0)] = 27 + at

/** For each three classes, which of `marks` it is, from 1. */
const table = new Uint8Array(window + 1)
for (const [at, [trigrams]] of marks.entries())
  for (const trigram of trigrams) {
    let index = 0
    for (const character of trigram) index = (index << bits) | (classes[character.charCodeAt(0)] as number)
    table[index] = at + 1
  }
const allowed = marks.map(([, before]) =>
  Uint8Array.from({ length: 256 }, (_, code) => (before?.test(String.fromCharCode(code)) === false ? 0 : 1)),
)

/** What a look at JSON found. */
export interface Look {
  /** Whether it is printable ASCII throughout. */
  readonly plain: boolean
  /** Whether `isSuspicious` has to look; where it has not, it would find nothing. */
  readonly marked: boolean
}

/**
 * Looks at JSON once, byte by byte, as UTF-8: most of what is logged is plain and has nothing in it, and a table finds
 * that out in a tenth of the time that the expression takes.
 */
export function lookAt(json: Uint8Array, start = 0, end = json.length): Look {
  let recent = 0
  let seen = 0
  let marked = false
  for (let at = start; at < end; at += 1) {
    const byte = json[at] as number
    seen |= byte === 0x7f ? 0x80 : byte
    recent = ((recent << bits) | (classes[byte] as number)) & window
    const mark = table[recent] as number
    if (mark !== 0 && (at < 3 || allowed[mark - 1]?.[json[at - 3] as number] === 1)) marked = true
  }
  return { plain: seen < 0x80, marked }
}

/** Whether there may be something in JSON that the usual rules take out. It errs on that side only. */
export const isSuspicious = (json: string): boolean => suspicion.test(json)
