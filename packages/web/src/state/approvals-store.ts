import type { ApprovalId, ApprovalList, Client, DecideApprovalBody, QuarterdeckError } from '@quarterdeck/protocol'
import { createCell, type Store } from './cell.ts'
import { failureOf } from './failure.ts'
import { type PollOptions, poll } from './poll.ts'

export type WaitingApproval = ApprovalList['approvals'][number]

/** What became of a decision made on this page. */
export type Verdict =
  | { readonly phase: 'sending'; readonly isRetrying: boolean }
  | { readonly phase: 'recorded' }
  /** It was decided before this decision came: the log says so too. */
  | { readonly phase: 'decided'; readonly words: string }
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
    // One press, one key: a try whose answer was lost is answered like the first, not as somebody else's decision.
    const key = crypto.randomUUID()
    let isRetrying = false
    while (!isDisposed) {
      judge(approvalId, { phase: 'sending', isRetrying })
      try {
        await client.decideApproval(approvalId, body, { key })
        judge(approvalId, { phase: 'recorded' })
        return await refresh()
      } catch (error) {
        const failure = failureOf(error)
        if (failure.code === 'server.unreachable' || failure.code === 'server.draining') {
          isRetrying = true
          await new Promise((resolve) => setTimeout(resolve, retryAfterMs))
        } else {
          judge(approvalId, refusalOf(failure))
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

function refusalOf(failure: QuarterdeckError): Verdict {
  if (failure.code !== 'approval.already-decided') return { phase: 'failed', failure }
  const { decision, decidedBy } = failure.facts
  if (decision === 'expired') return { phase: 'decided', words: 'It had expired before.' }
  const what = decision === 'deny' ? 'denied' : decision === undefined ? 'decided' : 'allowed'
  return { phase: 'decided', words: `Already ${what}${typeof decidedBy === 'string' ? ` by ${decidedBy}` : ''}.` }
}
