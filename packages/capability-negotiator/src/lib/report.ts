import type { Violation } from './violation.ts'

const LIMIT = 4_000

/** A value as a JSON block that nothing in it can end, cut after a few thousand characters. */
const fence = (value: unknown): string => {
  const whole = JSON.stringify(value, null, 2)
  const text =
    whole.length > LIMIT ? `${whole.slice(0, LIMIT)}\n… (${whole.length - LIMIT} characters more)` : whole
  const ticks = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)))
  return `${ticks}json\n${text}\n${ticks}`
}

/** The evidence of broken promises as a short Markdown report; undefined where every promise was kept. */
export function renderReport(violations: readonly Violation[]): string | undefined {
  const broken = violations.filter((violation) => violation.declared)
  const [first] = broken
  if (first === undefined) return undefined
  const sections = broken.map((violation) =>
    [
      `## \`${violation.method}\``,
      `Declared by \`${violation.flag ?? 'the revision itself'}\`, answered with error ${violation.error.code}${violation.count > 1 ? ` (${violation.count} times)` : ''}${violation.at ? `, first at ${violation.at}` : ''}.`,
      'Request:',
      fence(violation.request),
      'Answer:',
      fence({ error: violation.error }),
    ].join('\n\n'),
  )
  return `${[
    '# Declared capabilities that the server does not implement',
    `Protocol version ${first.version} (${first.era} era). The server says of itself:`,
    fence(first.serverInfo ?? {}),
    'It declares:',
    fence(first.capabilities),
    ...sections,
  ].join('\n\n')}\n`
}
