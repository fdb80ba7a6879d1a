import { randomBytes } from 'node:crypto'

/** A fresh W3C trace context parent, sampled (Trace Context §3.2.2): what joins the logs of one read. */
export function newTraceparent(): string {
  return `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`
}
