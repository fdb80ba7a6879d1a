import { createTextRedactor } from '@truename/decision-log'
import { sanitizeForDisplay } from '@truename/tool-registry'
import type { OnEvent } from './open-gateway.ts'
import { createStyle } from './style.ts'

/** Where a running proxy tells its operator what happens, a line each; what does not fit one goes on indented. */
export interface OperatorLog {
  /** Of a server, or of the proxy itself where that is empty. */
  readonly onEvent: OnEvent
  /** Of the decision log. */
  onLogError(message: string): void
}

/**
 * Writes to a stream that a host may keep for long: texts of servers, of their SDKs and of the system, without what the
 * configuration was filled in with, and with nothing that steers a terminal.
 */
export function createOperatorLog(
  stream: { write(text: string): unknown; readonly isTTY?: boolean | undefined },
  secrets: readonly string[],
): OperatorLog {
  const style = createStyle(stream)
  const clean = createTextRedactor({ secrets })
  // What follows a line break is not the beginning of a line, whatever it says.
  const show = (message: string): string => sanitizeForDisplay(clean(message)).replaceAll('\n', '\n  ')
  return {
    onEvent(level, server, message) {
      const colour = level === 'error' ? 'red' : level === 'warn' ? 'yellow' : 'dim'
      stream.write(`${style(colour, `${server === '' ? '' : `${server}: `}${show(message)}`)}\n`)
    },
    onLogError: (message) => void stream.write(`log: ${show(message)}\n`),
  }
}
