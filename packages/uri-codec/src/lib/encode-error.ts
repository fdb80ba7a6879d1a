/** Text that cannot be written as a URI, or as a URI of the kind that was asked for. */
export class EncodeError extends TypeError {
  override readonly name = 'EncodeError'
  /**
   * - `lone-surrogate`: half of a surrogate pair, which has no UTF-8 form
   * - `too-long`: text, or the segments of a path together, of more than 33,554,432 UTF-16 code units
   * - `relative-path`: a file path that does not start at a root, a drive with a root, or a share
   * - `device-path`: a Windows device (`\\.\COM1`), which no file URI names
   * - `nul`: a NUL character in a file path
   */
  declare readonly code: 'lone-surrogate' | 'too-long' | 'relative-path' | 'device-path' | 'nul'
  /** The text that was to be written. */
  declare readonly source: string
  /** Where the mistake is, in UTF-16 code units. */
  declare readonly index: number

  constructor(code: EncodeError['code'], source: string, index: number) {
    super(`URI: ${code.replaceAll('-', ' ')} at index ${index}`)
    this.code = code
    this.source = source
    this.index = index
  }
}
