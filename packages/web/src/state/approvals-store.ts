import type { ApprovalId, ApprovalList, Client, DecideApprovalBody, QuarterdeckError } from '@quarterdeck/protocol'
import { createCell, type Store } from './cell.ts'
import { failureOf } from './failure.ts'
import { type PollOptions, poll } from './poll.ts'

export type WaitingApproval = ApprovalList['approvals'][number]

/** What became of a decision made on this page. */
export type Verdict =
  | { readonly phase: 'sending'; readonly isRetrying: boolean }
  | { readonly phase: 'recorded' }
  | { readonly phase: 'elsewhere'; readonly words: string }
  | { readonly phase: 'failed'; readonly failure: QuarterdeckError }

export interface ApprovalsView {
  /** Open ones, oldest first; `null` until they are known. */
  readonly approvals: readonly WaitingApproval[] | null
  readonly verdicts: ReadonlyMap<ApprovalId, Verdict>
  readonly failure: QuarterdeckError | null
}

export interface ApprovalsStore extends Store<ApprovalsView> {
  refresh(): Promise<void>
  /** Tries until the server has answered: a decision made while it was away is not lost. */
  decide(approvalId: ApprovalId, body: DecideApprovalBody): Promise<void>
  dispose(): void
}

export interface ApprovalsStoreOptions {
  readonly client: Client
  readonly poll?: Partial<PollOptions>
  readonly retryAfterMs?: number
}

export function createApprovalsStore({
  client,
  retryAfterMs = 1000,
  ...options
}: ApprovalsStoreOptions): ApprovalsStore {
  let isDisposed = false
  const cell = createCell<ApprovalsView>(
    { approvals: null, verdicts: new Map(), failure: null },
    { onWatched: () => poll(refresh, { everyMs: 2000, ...options.poll }) },
  )

  async function refresh(): Promise<void> {
    try {
      const { approvals } = await client.listApprovals()
      cell.update({ approvals, failure: null })
    } catch (error) {
      cell.update({ failure: failureOf(error) })
    }
  }

  function judge(approvalId: ApprovalId, verdict: Verdict): void {
    cell.update({ verdicts: new Map(cell.getSnapshot().verdicts).set(approvalId, verdict) })
  }

  async function decide(approvalId: ApprovalId, body: DecideApprovalBody): Promise<void> {
    let isRetrying = false
    while (!isDisposed) {
      judge(approvalId, { phase: 'sending', isRetrying })
      try {
        await client.decideApproval(approvalId, body)
        judge(approvalId, { phase: 'recorded' })
        return await refresh()
      } catch (error) {
        const failure = failureOf(error)
        if (failure.code === 'server.unreachable' || failure.code === 'server.draining') {
          isRetrying = true
          await new Promise((resolve) => setTimeout(resolve, retryAfterMs))
        } else {
          judge(approvalId, refusalOf(failure, isRetrying))
          return await refresh()
        }
      }
    }
  }

  return {
    getSnapshot: cell.getSnapshot,
    subscribe: cell.subscribe,
    refresh,
    decide,
    dispose() {
      isDisposed = true
    },
  }
}

/** After a retry, "already decided" may well be our own first try whose answer was lost: the log tells who it was. */
function refusalOf(failure: QuarterdeckError, isRetrying: boolean): Verdict {
  if (failure.code !== 'approval.already-decided') return { phase: 'failed', failure }
  return isRetrying ? { phase: 'recorded' } : { phase: 'elsewhere', words: failure.message }
}
