import { styleText } from 'node:util'

type Format = Parameters<typeof styleText>[0]

/** Colours, on terminals alone (and never where NO_COLOR is set). */
export function createStyle(stream: {
  readonly isTTY?: boolean | undefined
}): (format: Format, text: string) => string {
  const colours = stream.isTTY === true && !process.env.NO_COLOR
  return (format, text) => (colours ? styleText(format, text) : text)
}

/** Text folded to a width for people, never cut: what follows the first line is indented. */
export function fold(text: string, indent: string, width = 100): string {
  const room = Math.max(20, width - indent.length)
  const lines = text.split('\n').flatMap((line) => {
    const pieces: string[] = []
    let rest = line
    while (rest.length > room) {
      const space = rest.lastIndexOf(' ', room)
      const at = space > room / 2 ? space : room
      pieces.push(rest.slice(0, at))
      rest = rest.slice(space > room / 2 ? at + 1 : at)
    }
    return [...pieces, rest]
  })
  return lines.map((line) => indent + line).join('\n')
}
