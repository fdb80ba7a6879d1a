import type { ApprovalRequest, Grant } from './approval.ts'
import type { Approvals, Question } from './approvals.ts'
import type { Pin } from './call.ts'

/** How to wait for a person. */
export interface AskOptions {
  /** Milliseconds to wait for an answer; usual: not at all. The question stays open until it expires. */
  readonly wait?: number | undefined
  /** Aborting ends the waiting. */
  readonly signal?: AbortSignal | undefined
  /** Called with each question opened: to show it, or to ask the client. */
  readonly onAsk?: ((request: ApprovalRequest) => void) | undefined
  /** How the definition stands by the time of the answer; usual: as when it was asked. */
  readonly pinNow?: (() => Pin) | undefined
}

/** An answer, or the question that is still open. */
export type Asked = { readonly grant: Grant } | { readonly request: ApprovalRequest }

/** What there is to say of an open question now: an answer, the need to ask anew, or nothing yet. */
async function look(
  approvals: Approvals,
  request: ApprovalRequest,
): Promise<Grant | 'ask-again' | undefined> {
  const grant = await approvals.take(request.binding)
  if (grant) {
    if (grant.requestId !== request.id) await approvals.withdraw(request.id)
    return grant
  }
  const { answer } = (await approvals.get(request.id)) ?? {}
  if (!answer) return undefined
  // Two calls may wait for one question: a refusal is for both, an approval of one call for whichever took it.
  if (answer.verdict === 'allow') return 'ask-again'
  return { id: request.id, requestId: request.id, binding: request.binding, answer }
}

/** Asks, and waits until the question or a wider one that covers it is answered, the time is over, or it expires. */
export async function askPerson(
  approvals: Approvals,
  question: Question,
  options: AskOptions,
): Promise<Asked> {
  const { wait = 0, signal, onAsk } = options
  const deadline = approvals.now() + wait
  let changed = false
  let wake = (): void => {}
  const notice = (): void => {
    changed = true
    wake()
  }
  const stop = approvals.subscribe(notice)
  signal?.addEventListener('abort', notice)
  try {
    let request = await approvals.ask(question)
    onAsk?.(request)
    for (;;) {
      changed = false
      const found = await look(approvals, request)
      if (found === 'ask-again') {
        request = await approvals.ask(question)
        onAsk?.(request)
        continue
      }
      if (found) return { grant: found }
      const left = Math.min(deadline, request.expiresAt) - approvals.now()
      if (left <= 0 || signal?.aborted) return { request }
      if (changed) continue
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(left, 2 ** 31 - 1))
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  } finally {
    stop()
    signal?.removeEventListener('abort', notice)
  }
}
