/** How long things may take, in milliseconds. */
export interface Timeouts {
  /** For an answer to `server/discover`. A silent server costs this once: keep the verdict. */
  readonly probeMs: number
  /** For an answer to `initialize`; also for reaching the server, and for opening the connection, before that. */
  readonly connectMs: number
  /** Without a sign of life of a request; progress begins it anew. */
  readonly requestMs: number
  /** Of one request in all, whatever progress is reported. */
  readonly maxRequestMs: number
  /** Between closing stdin and TERM, and between TERM and KILL; over HTTP for ending the session. */
  readonly graceMs: number
}

/** The defaults: those of the SDKs where they have one. */
export const defaultTimeouts: Timeouts = {
  probeMs: 5_000,
  connectMs: 60_000,
  requestMs: 60_000,
  maxRequestMs: 3_600_000,
  graceMs: 2_000,
}
