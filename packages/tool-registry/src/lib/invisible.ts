/**
 * Characters that do not show, or do not show as themselves: controls, format characters, spaces other than U+0020,
 * line and paragraph separators, everything default-ignorable, private use, surrogates, noncharacters, blanks that
 * Unicode counts as letters or symbols. Pinned to Unicode 17 and written out, so that a lock is laid out
 * the same by every version of every engine.
 */
const ranges: readonly (readonly [first: number, last: number])[] = [
  [0x0000, 0x001f],
  [0x007f, 0x00a0],
  [0x00ad, 0x00ad],
  [0x034f, 0x034f],
  [0x0600, 0x0605],
  [0x061c, 0x061c],
  [0x06dd, 0x06dd],
  [0x070f, 0x070f],
  [0x0890, 0x0891],
  [0x08e2, 0x08e2],
  [0x115f, 0x1160],
  [0x1680, 0x1680],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x2000, 0x200f],
  [0x2028, 0x202f],
  [0x205f, 0x206f],
  [0x2800, 0x2800],
  [0x3000, 0x3000],
  [0x3164, 0x3164],
  [0xd800, 0xf8ff],
  [0xfdd0, 0xfdef],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xffff],
  [0x110bd, 0x110bd],
  [0x110cd, 0x110cd],
  [0x13430, 0x1343f],
  [0x16fe4, 0x16fe4],
  [0x1bca0, 0x1bca3],
  [0x1d159, 0x1d159],
  [0x1d173, 0x1d17a],
  [0xe0000, 0x10ffff],
  // The last two of every plane are noncharacters.
  ...Array.from({ length: 13 }, (_, plane): readonly [number, number] => [
    plane * 0x10000 + 0x1fffe,
    plane * 0x10000 + 0x1ffff,
  ]),
]

const inClass = ranges.map(([first, last]) => `\\u{${first.toString(16)}}-\\u{${last.toString(16)}}`).join('')

/** Matches one character that does not show as itself. Stateless: clone it with the `g` flag to search for all. */
export const invisible = new RegExp(`[${inClass}]`, 'u')

/** The same with the `g` flag, for `replace` and `matchAll` (which do not use its state). */
export const invisibles = new RegExp(`[${inClass}]`, 'gu')
