import type { JsonObject } from '@truename/mcp-link'
import type { Candidate } from './candidate.ts'
import { type ExitCode, exitCodes } from './exit-code.ts'
import type { FailedReading, Found } from './find-and-read.ts'
import { exitCodeOf, isNotFound } from './outcome-exit.ts'
import { jsonText, type Output, shown, table } from './output.ts'
import { adviceOf, type Reading, type ReadTarget } from './reading.ts'

/** How a reading is shown. */
export interface ReadFormat {
  /** One JSON object with everything. */
  readonly json: boolean
  /** The text alone, letter for letter. */
  readonly text: boolean
}

/** Shows what came of asking for `asked`. */
export function showFound(asked: string, found: Found, format: ReadFormat, output: Output): ExitCode {
  if (format.json) output.line(jsonText(plain(asked, found)))
  switch (found.kind) {
    case 'read':
      if (!format.json) showReading(asked, found.reading, found.candidate, format, output)
      return exitCodes.ok
    case 'unread':
      output.note(`${shown(found.candidate.uri)}: ${shown(found.failed.error.message)}`)
      showAdvice(found.failed, output)
      return isNotFound(found.failed.outcome) ? exitCodes.notFound : exitCodeOf(found.failed.outcome)
    case 'several':
      output.note(
        `${shown(asked)} is the name of ${found.candidates.length} documents; ${choose(found.candidates)}:`,
      )
      if (!format.json) output.line(listOf(found.candidates))
      return exitCodes.ambiguous
    case 'suggestions':
      output.note(`no document is named ${shown(asked)}; these have its words in their names:`)
      if (!format.json) output.line(listOf(found.candidates))
      return exitCodes.notFound
    case 'none':
      output.note(`no document is named ${shown(asked)}`)
      if (found.failed) showAdvice(found.failed, output)
      return exitCodes.notFound
  }
}

function choose(candidates: readonly Candidate[]): string {
  const servers = new Set(candidates.map(({ server }) => server))
  return servers.size > 1
    ? 'choose one with --from SERVER, or by its URI with --uri'
    : 'choose one by its exact name, or by its URI with --uri'
}

function listOf(candidates: readonly Candidate[]): string {
  return table(candidates.map(({ name, server, uri }) => [`  ${shown(name)}`, shown(server), shown(uri)]))
}

function showReading(
  asked: string,
  { uri, server, revision, time, contents }: Reading,
  candidate: ReadTarget,
  { text }: ReadFormat,
  output: Output,
): void {
  if (!text) {
    const name = (candidate as Partial<Candidate>).name ?? asked
    output.line(shown(name))
    const facts = [
      ['  uri', shown(uri)],
      ['  server', shown(server)],
      ['  revision', revision === undefined ? 'not stated by the server' : shown(revision)],
      ['  read', shown(time)],
    ]
    output.line(`${table(facts)}\n`)
  }
  for (const content of contents) showContent(content, text, output)
}

function showContent({ uri, mimeType, text, blob }: JsonObject, bare: boolean, output: Output): void {
  if (typeof text === 'string') {
    output.text(bare || text.endsWith('\n') ? text : `${text}\n`)
    return
  }
  const bytes = typeof blob === 'string' ? `, ${Buffer.byteLength(blob, 'base64')} bytes` : ''
  output.note(
    `[${shown(String(uri))}: ${shown(String(mimeType ?? 'binary'))}${bytes}; --json has it in base64]`,
  )
}

/** Shows what the error's data says beyond its message. */
function showAdvice({ error }: FailedReading, output: Output): void {
  const { lines, meant } = adviceOf(error)
  const said = (text: string): boolean => error.message.includes(text)
  for (const line of lines) if (!said(line)) output.note(`  ${shown(line)}`)
  for (const { name, uri } of meant)
    if (!said(uri)) output.note(`  did you mean ${shown(name)}?  ${shown(uri)}`)
}

function plain(asked: string, found: Found): object {
  switch (found.kind) {
    case 'read':
      return { asked, found: 'read', name: (found.candidate as Partial<Candidate>).name, ...found.reading }
    case 'unread':
      return {
        asked,
        found: 'unread',
        uri: found.candidate.uri,
        error: found.failed.error,
        trace: found.failed.trace,
      }
    case 'none':
      return {
        asked,
        found: 'none',
        ...(found.failed && { error: found.failed.error, trace: found.failed.trace }),
      }
    default:
      return { asked, found: found.kind, candidates: found.candidates }
  }
}
