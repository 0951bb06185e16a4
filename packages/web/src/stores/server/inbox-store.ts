import type { Client } from '@quarterdeck/client'
import {
  type AgentChange,
  type AnswerQuestionBody,
  type ApprovalId,
  type BudgetId,
  type DecideApprovalBody,
  type InboxItem,
  type QuarterdeckError,
  type QuestionId,
  sleep,
} from '@quarterdeck/protocol'
import { refusalOf, type SubmissionStatus } from '../asks/submission-status.ts'
import { failureOf } from '../primitives/failure.ts'
import { type PollOptions, poll } from '../primitives/poll.ts'
import { createStore, type Store } from '../primitives/store.ts'

export type StoppedBudget = Extract<InboxItem, { type: 'budget' }>

export interface InboxView {
  /** Open items, oldest first. `null` until loaded. */
  readonly items: readonly InboxItem[] | null
  /** New or changed agent files that wait for confirmation. */
  readonly changes: readonly AgentChange[]
  /** By `inboxKey` or `changeKey`, for listed items and for the one settled last on this page. */
  readonly submissions: ReadonlyMap<string, SubmissionStatus>
  readonly failure: QuarterdeckError | null
}

/** Each decision is retried until the server has answered, so that an outage loses none. */
export interface InboxStore extends Store<InboxView> {
  refresh(): Promise<void>
  decideChange(change: AgentChange, decision: 'accept' | 'reject'): Promise<void>
  decide(approvalId: ApprovalId, body: DecideApprovalBody): Promise<void>
  answer(questionId: QuestionId, body: AnswerQuestionBody): Promise<void>
  /** Raises the limit of a stopped session, which then continues. */
  raiseLimit(stopped: StoppedBudget, maxBudgetUsd: number): Promise<void>
  /** Raises the budget that stopped the session. All sessions it stopped continue. */
  raiseBudget(stopped: StoppedBudget, budgetId: BudgetId, limit: number): Promise<void>
}

export interface InboxStoreOptions {
  readonly client: Client
  readonly poll?: Partial<PollOptions>
  readonly retryAfterMs?: number
}

/** A session that stops again is a new item: the submission for the first stop does not apply to it. */
export function inboxKey(item: InboxItem): string {
  switch (item.type) {
    case 'approval':
      return item.approval.approvalId
    case 'question':
      return item.question.questionId
    case 'budget':
      return `${item.sessionId} ${item.at}`
  }
}

export const changeKey = ({ agentName, version }: AgentChange): string => `${agentName} ${version}`

export function createInboxStore({ client, retryAfterMs = 1000, ...options }: InboxStoreOptions): InboxStore {
  const store = createStore<InboxView>(
    { items: null, changes: [], submissions: new Map(), failure: null },
    { onWatched: () => poll(() => refreshAfter(), { everyMs: 2000, ...options.poll }) },
  )

  async function refreshAfter(settled?: string): Promise<void> {
    const { submissions } = store.getSnapshot()
    try {
      const { items, agentChanges: changes = [] } = await client.inbox()
      const listed = new Set([...items.map(inboxKey), ...changes.map(changeKey)])
      store.update({ items, changes, submissions: submissionsAfter(listed, { submissions, settled }), failure: null })
    } catch (error) {
      store.update({ failure: failureOf(error) })
    }
  }

  /**
   * A settled item that is still listed can be submitted again. The item settled last is kept for pages whose log does
   * not show it yet. Submissions made after the list was requested are kept.
   */
  function submissionsAfter(
    listed: ReadonlySet<string>,
    asked: Pick<InboxView, 'submissions'> & { readonly settled: string | undefined },
  ): InboxView['submissions'] {
    return new Map(
      [...store.getSnapshot().submissions].filter(([key, submission]) => {
        if (submission.phase === 'sending' || submission !== asked.submissions.get(key)) return true
        return listed.has(key) ? submission.phase === 'failed' : key === asked.settled
      }),
    )
  }

  function setSubmission(item: string, submission: SubmissionStatus): void {
    store.update({ submissions: new Map(store.getSnapshot().submissions).set(item, submission) })
  }

  async function settle(item: string, send: (key: string) => Promise<unknown>): Promise<void> {
    // One key per click: when a response was lost, the retry gets the same answer instead of a conflict.
    const key = crypto.randomUUID()
    let isRetrying = false
    for (;;) {
      setSubmission(item, { phase: 'sending', isRetrying })
      try {
        await send(key)
        setSubmission(item, { phase: 'recorded' })
        return await refreshAfter(item)
      } catch (error) {
        const failure = failureOf(error)
        if (failure.code === 'server.unreachable' || failure.code === 'server.draining') {
          isRetrying = true
          await sleep(retryAfterMs)
        } else {
          setSubmission(item, refusalOf(failure))
          return await refreshAfter(item)
        }
      }
    }
  }

  return {
    getSnapshot: store.getSnapshot,
    subscribe: store.subscribe,
    refresh: () => refreshAfter(),
    decideChange: (change, decision) =>
      settle(changeKey(change), (key) =>
        client.decideAgentChange(change.agentName, { version: change.version, decision }, { key }),
      ),
    decide: (approvalId, body) => settle(approvalId, (key) => client.decideApproval(approvalId, body, { key })),
    answer: (questionId, body) => settle(questionId, (key) => client.answerQuestion(questionId, body, { key })),
    raiseLimit: (stopped, maxBudgetUsd) =>
      settle(inboxKey(stopped), (key) =>
        client.changeSession(stopped.sessionId, { limits: { maxBudgetUsd } }, { key }),
      ),
    raiseBudget: (stopped, budgetId, limit) =>
      settle(inboxKey(stopped), (key) => client.changeBudget(budgetId, { limit }, { key })),
  }
}
