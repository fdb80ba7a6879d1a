/** What a command of the host ends with, so that scripts can tell what happened without reading text. */
export const exitCodes = {
  ok: 0,
  /** The host could not do its work: no connection, a configuration that cannot be read. */
  failed: 1,
  /** The command was not understood. */
  usage: 2,
  /** Nothing has this name or URI. */
  notFound: 3,
  /** Several things have this name. */
  ambiguous: 4,
  /** The tool ran and says that it failed (`isError`). */
  toolError: 5,
  /** The server answered with a protocol error, or not at all. */
  protocolError: 6,
  /** The gate refused: a policy, a missing approval, a definition that is held. */
  refused: 7,
} as const

/** One of {@link exitCodes}. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]
