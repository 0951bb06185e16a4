// Who waits for which answer in this process. The request itself is in the log and outlives everything in here.
import type { ApprovalId } from '@quarterdeck/protocol'
import type { ToolVerdict } from '../backends/backend.ts'

export interface ApprovalWaiters {
  /** Resolves with the answer, or with a denial when the signal aborts first. */
  wait(approvalId: ApprovalId, signal: AbortSignal): Promise<ToolVerdict>
  isWaiting(approvalId: ApprovalId): boolean
  answer(approvalId: ApprovalId, verdict: ToolVerdict): void
}

export interface WaitHooks {
  readonly onWait: () => void
  readonly onAnswer: () => void
}

export function createApprovalWaiters(hooks: WaitHooks): ApprovalWaiters {
  const waiting = new Map<ApprovalId, (verdict: ToolVerdict) => void>()
  return {
    wait(approvalId, signal) {
      hooks.onWait()
      return new Promise((resolve) => {
        const settle = (verdict: ToolVerdict) => {
          waiting.delete(approvalId)
          signal.removeEventListener('abort', give)
          hooks.onAnswer()
          resolve(verdict)
        }
        const give = () => settle({ type: 'deny', message: 'The turn was interrupted before a person decided.' })
        waiting.set(approvalId, settle)
        if (signal.aborted) give()
        else signal.addEventListener('abort', give)
      })
    },
    isWaiting: (approvalId) => waiting.has(approvalId),
    answer: (approvalId, verdict) => waiting.get(approvalId)?.(verdict),
  }
}
