import type {
  AgentChange,
  AnswerQuestionBody,
  ApprovalId,
  BudgetId,
  Client,
  DecideApprovalBody,
  InboxItem,
  QuarterdeckError,
  QuestionId,
} from '@quarterdeck/protocol'
import { createCell, type Store } from './cell.ts'
import { failureOf } from './failure.ts'
import { type PollOptions, poll } from './poll.ts'
import { refusalOf, type Verdict } from './verdict.ts'

export type StoppedBudget = Extract<InboxItem, { type: 'budget' }>

export interface InboxView {
  /** Everything that waits for a person, oldest first; `null` until it is known. */
  readonly items: readonly InboxItem[] | null
  /** New or changed agent files that wait for confirmation. */
  readonly changes: readonly AgentChange[]
  /** By `inboxKey` or `changeKey`; of what is listed, or was settled here a moment ago. */
  readonly verdicts: ReadonlyMap<string, Verdict>
  readonly failure: QuarterdeckError | null
}

/** Each decision is sent until the server has answered: what was decided while it was away is not lost. */
export interface InboxStore extends Store<InboxView> {
  refresh(): Promise<void>
  decideChange(change: AgentChange, decision: 'accept' | 'reject'): Promise<void>
  decide(approvalId: ApprovalId, body: DecideApprovalBody): Promise<void>
  answer(questionId: QuestionId, body: AnswerQuestionBody): Promise<void>
  /** Gives a stopped session more money: it goes on. */
  raiseLimit(stopped: StoppedBudget, maxBudgetUsd: number): Promise<void>
  /** Raises the budget that stopped it: every session it had stopped goes on. */
  raiseBudget(stopped: StoppedBudget, budgetId: BudgetId, limit: number): Promise<void>
}

export interface InboxStoreOptions {
  readonly client: Client
  readonly poll?: Partial<PollOptions>
  readonly retryAfterMs?: number
}

/** A session stopped once more is another item: what became of the first does not answer the second. */
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

interface Asked {
  readonly verdicts: ReadonlyMap<string, Verdict>
  readonly settled: string | undefined
}

export function createInboxStore({ client, retryAfterMs = 1000, ...options }: InboxStoreOptions): InboxStore {
  const cell = createCell<InboxView>(
    { items: null, changes: [], verdicts: new Map(), failure: null },
    { onWatched: () => poll(() => look(), { everyMs: 2000, ...options.poll }) },
  )

  async function look(settled?: string): Promise<void> {
    const { verdicts } = cell.getSnapshot()
    try {
      const { items, agentChanges: changes = [] } = await client.inbox()
      const listed = new Set([...items.map(inboxKey), ...changes.map(changeKey)])
      cell.update({ items, changes, verdicts: verdictsAfter(listed, { verdicts, settled }), failure: null })
    } catch (error) {
      cell.update({ failure: failureOf(error) })
    }
  }

  /**
   * What was settled and is still listed did not help: it can be tried again. What was settled just now is kept for
   * pages whose log does not show it yet, and what came after the list was asked for is not judged by it.
   */
  function verdictsAfter(listed: ReadonlySet<string>, asked: Asked): ReadonlyMap<string, Verdict> {
    const now = [...cell.getSnapshot().verdicts]
    return new Map(
      now.filter(([key, verdict]) => {
        if (verdict.phase === 'sending' || verdict !== asked.verdicts.get(key)) return true
        return listed.has(key) ? verdict.phase === 'failed' : key === asked.settled
      }),
    )
  }

  function judge(item: string, verdict: Verdict): void {
    cell.update({ verdicts: new Map(cell.getSnapshot().verdicts).set(item, verdict) })
  }

  async function settle(item: string, send: (key: string) => Promise<unknown>): Promise<void> {
    // One press, one key: a try whose answer was lost is answered like the first, not as somebody else's decision.
    const key = crypto.randomUUID()
    let isRetrying = false
    for (;;) {
      judge(item, { phase: 'sending', isRetrying })
      try {
        await send(key)
        judge(item, { phase: 'recorded' })
        return await look(item)
      } catch (error) {
        const failure = failureOf(error)
        if (failure.code === 'server.unreachable' || failure.code === 'server.draining') {
          isRetrying = true
          await new Promise((resolve) => setTimeout(resolve, retryAfterMs))
        } else {
          judge(item, refusalOf(failure))
          return await look(item)
        }
      }
    }
  }

  return {
    getSnapshot: cell.getSnapshot,
    subscribe: cell.subscribe,
    refresh: () => look(),
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
      settle(inboxKey(stopped), (key) => client.changeBudget(budgetId, limit, { key })),
  }
}
