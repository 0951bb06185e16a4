// Who waits for which answer in this process. The request itself is in the log and outlives everything in here.
import type { ApprovalId, JsonObject } from '@quarterdeck/protocol'

/** `input: null` lets the call run as it was asked for. */
export type Answer =
  | { readonly type: 'allow'; readonly input: JsonObject | null }
  | { readonly type: 'deny'; readonly message: string }

export interface ApprovalWaiters {
  /** Resolves with the answer, or with a denial when the signal aborts first. */
  wait(approvalId: ApprovalId, signal: AbortSignal): Promise<Answer>
  isWaiting(approvalId: ApprovalId): boolean
  answer(approvalId: ApprovalId, answer: Answer): void
}

export interface WaitHooks {
  readonly onWait: () => void
  readonly onAnswer: () => void
}

export function createApprovalWaiters(hooks: WaitHooks): ApprovalWaiters {
  const waiting = new Map<ApprovalId, (answer: Answer) => void>()
  return {
    wait(approvalId, signal) {
      hooks.onWait()
      return new Promise((resolve) => {
        const settle = (answer: Answer) => {
          waiting.delete(approvalId)
          signal.removeEventListener('abort', give)
          hooks.onAnswer()
          resolve(answer)
        }
        const give = () => settle({ type: 'deny', message: 'The turn was interrupted before a person decided.' })
        waiting.set(approvalId, settle)
        if (signal.aborted) give()
        else signal.addEventListener('abort', give)
      })
    },
    isWaiting: (approvalId) => waiting.has(approvalId),
    answer: (approvalId, answer) => waiting.get(approvalId)?.(answer),
  }
}
