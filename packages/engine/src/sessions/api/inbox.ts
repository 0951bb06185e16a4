// Everything that waits for a person: approvals, questions and sessions that are out of budget.
import { type InboxItem, isOutOfOwnMoney, type SessionId, type SessionState } from '@quarterdeck/protocol'
import type { EventStore } from '../../store/ports/event-store.ts'
import type { SessionOperations } from '../session-service.ts'

export function createInboxOperations(store: Pick<EventStore, 'load' | 'listWaiting' | 'listByStatus'>) {
  const waitingSessions = async (sessionId: SessionId | undefined): Promise<readonly SessionState[]> => {
    if (sessionId === undefined) return store.listWaiting()
    const session = await store.load(sessionId)
    return session === null ? [] : [session]
  }

  return {
    async listApprovals({ session }) {
      const approvals = (await waitingSessions(session)).flatMap(({ agentName, title, approvals: open }) =>
        open.map((approval) => ({ ...approval, agentName, title })),
      )
      return { approvals: approvals.sort(byTime) }
    },

    async listQuestions({ session }) {
      const questions = (await waitingSessions(session)).flatMap(({ agentName, title, questions: open }) =>
        open.map((question) => ({ ...question, agentName, title })),
      )
      return { questions: questions.sort(byTime) }
    },

    async inbox() {
      const [waiting, stopped] = await Promise.all([store.listWaiting(), store.listByStatus(['stopped_budget'])])
      return { items: [...waiting.flatMap(openAsks), ...stopped.map(stoppedBudget)].sort(byTime) }
    },
  } satisfies Partial<SessionOperations>
}

/** The longest waiting first. */
const byTime = (one: { readonly at: string }, other: { readonly at: string }): number =>
  one.at < other.at ? -1 : one.at > other.at ? 1 : 0

function openAsks({ sessionId, agentName, title, approvals, questions }: SessionState): readonly InboxItem[] {
  const about = { sessionId, agentName, title }
  return [
    ...approvals.map((approval) => ({ type: 'approval' as const, at: approval.at, ...about, approval })),
    ...questions.map((question) => ({ type: 'question' as const, at: question.at, ...about, question })),
  ]
}

function stoppedBudget(session: SessionState): InboxItem {
  const { sessionId, agentName, title, costUsd, limits, statusReason, stoppedSum, stoppedBudgetId } = session
  const isOwnLimit = isOutOfOwnMoney(session)
  const reason = isOwnLimit || statusReason === null ? 'the limit of this session is reached' : statusReason
  // A budget in units has no dollar amounts: its reason names the units.
  const { spent, limit } = stoppedSum?.unit === 'usd' ? stoppedSum : { spent: costUsd, limit: limits.maxBudgetUsd }
  const budget = stoppedBudgetId === undefined ? {} : { budgetId: stoppedBudgetId }
  const money = { spentUsd: spent, limitUsd: limit, reason, isOwnLimit, ...budget }
  return { type: 'budget', at: session.stoppedAt ?? session.updatedAt, sessionId, agentName, title, ...money }
}
