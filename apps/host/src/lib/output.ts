import { sanitizeForDisplay } from '@truename/tool-registry'

/** Where a command writes. */
export interface Output {
  /** One line, or several, of the answer; text from servers goes through `shown` first. */
  line(text: string): void
  /** The text of a document or result as it is. */
  text(text: string): void
  /** One line beside the answer: what is held, what was passed over, what went wrong. */
  note(text: string): void
}

/** Writes to the standard streams of this process. */
export function processOutput(): Output {
  return {
    line: (text) => void process.stdout.write(`${text}\n`),
    // Into a file or a pipe the text goes letter for letter; a terminal would obey what stands in it.
    text: (text) => void process.stdout.write(process.stdout.isTTY ? safeText(text) : text),
    note: (text) => void process.stderr.write(`${text}\n`),
  }
}

/** One line of text from a server, made safe for a terminal. */
export function shown(text: string): string {
  return sanitizeForDisplay(text.replaceAll(/\r?\n/g, ' '))
}

/** A value as JSON, in which characters that a terminal obeys or does not show are escaped. */
export function jsonText(value: unknown): string {
  const escaped = (character: string): string =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join('')
  return JSON.stringify(value, undefined, 2).replaceAll(/[^\P{C}\n]|[\p{Zl}\p{Zp}]/gu, escaped)
}

function safeText(text: string): string {
  return text
    .split('\n')
    .map((line) => sanitizeForDisplay(line))
    .join('\n')
}

/** Lines of columns, each as wide as its widest cell. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => width(row[column] ?? ''))))
  const pad = (cell: string, column: number): string => cell + ' '.repeat((widths[column] ?? 0) - width(cell))
  return rows.map((row) => row.map(pad).join('  ').trimEnd()).join('\n')
}

function width(text: string): number {
  return [...text].reduce(
    (sum, character) => sum + (/\p{Mark}/u.test(character) ? 0 : isWide(character) ? 2 : 1),
    0,
  )
}

function isWide(character: string): boolean {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Extended_Pictographic}\uFF01-\uFF60]/u.test(
    character,
  )
}
