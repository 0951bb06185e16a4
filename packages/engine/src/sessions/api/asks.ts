// The doors for people and clients: what waits for them, and what they say to it.
import {
  AnswerQuestionBody,
  type Applied,
  type InboxItem,
  isOutOfOwnMoney,
  type JsonObject,
  QuarterdeckError,
  ReturnClientCallBody,
  type SessionState,
  unreportedAnswer,
  unreportedResult,
  wholeText,
} from '@quarterdeck/protocol'
import type { QuestionReply } from '../../backends/backend.ts'
import { handOverAnswer } from '../asks/hand-over-answer.ts'
import { requireSession } from '../rules/invariants.ts'
import type { OperationContext } from '../runtime/operation-context.ts'
import type { AskOperations } from '../session-service.ts'
import { byTime, waitingSessions } from './waiting-sessions.ts'

export function createAskOperations({ store, coordinator, applied, newMessageId }: OperationContext): AskOperations {
  return {
    async inbox() {
      const [waiting, stopped] = await Promise.all([store.listWaiting(), store.listByStatus(['stopped_budget'])])
      const items = [...waiting.flatMap(asksOf), ...stopped.map(stoppedBudget)]
      return { items: items.sort(byTime) }
    },

    async questions(sessionId) {
      const questions = (await waitingSessions(store, sessionId)).flatMap((session) => {
        const { agentName, title } = session
        return session.questions.map((question) => ({ ...question, agentName, title }))
      })
      return { questions: questions.sort(byTime) }
    },

    async answer(questionId, body, by): Promise<Applied> {
      const sessionId = await store.findAsk(questionId)
      if (sessionId === null) throw new QuarterdeckError('question.not-found', `there is no question ${questionId}`)
      const { answers, note = null } = AnswerQuestionBody.parse(body)
      const running = await coordinator.open(sessionId)
      const events = await handOverAnswer(running, {
        waiters: running.questions,
        id: questionId,
        answer: replyOf({ answers, note, by }),
        command: (reception) => ({
          type: 'question.answer',
          questionId,
          answers,
          note,
          by,
          ...reception,
          wakeMessageId: newMessageId(),
        }),
        unreported(before, written) {
          const question = before.questions.find((open) => open.questionId === questionId)
          const answered = written.find((event) => event.type === 'QuestionAnswered')
          return question && answered && unreportedAnswer(question, answered.data)
        },
      })
      coordinator.kick(running)
      return applied(running, events)
    },

    async revokeRule(sessionId, rule, by) {
      const running = await coordinator.open(sessionId)
      return applied(running, await running.writer.apply({ type: 'rule.revoke', rule, by }))
    },

    async attachClient(sessionId, { clientId, tools }, by) {
      const running = await coordinator.open(sessionId)
      const events = await running.writer.apply({ type: 'client.attach', clientId, tools, by })
      if (events.length > 0) running.clientTools.changed()
      return applied(running, events)
    },

    async detachClient(sessionId, clientId, by) {
      const running = await coordinator.open(sessionId)
      const events = await running.writer.apply({ type: 'client.detach', clientId, by })
      if (events.length > 0) running.clientTools.changed()
      return applied(running, events)
    },

    async clientCalls(sessionId) {
      return { calls: requireSession(await store.load(sessionId)).clientCalls }
    },

    async returnClientCall(callId, body, by): Promise<Applied> {
      const sessionId = await store.findAsk(callId)
      if (sessionId === null) throw new QuarterdeckError('client-call.not-found', `there is no client call ${callId}`)
      const { isError, ...returnedBody } = ReturnClientCallBody.parse(body)
      const output = wholeText(returnedBody.output)
      const running = await coordinator.open(sessionId)
      const events = await handOverAnswer(running, {
        waiters: running.clientCalls,
        id: callId,
        answer: { output, isError },
        command: (reception) => ({
          type: 'client-call.return',
          callId,
          output,
          isError,
          by,
          ...reception,
          wakeMessageId: newMessageId(),
        }),
        unreported(before, written) {
          const call = before.clientCalls.find((open) => open.callId === callId)
          const returned = written.find((event) => event.type === 'ClientToolReturned')
          return call && returned && unreportedResult(call, returned.data)
        },
      })
      coordinator.kick(running)
      return applied(running, events)
    },
  }
}

function asksOf(session: SessionState): readonly InboxItem[] {
  const { sessionId, agentName, title } = session
  const about = { sessionId, agentName, title }
  return [
    ...session.approvals.map((approval) => ({ type: 'approval' as const, at: approval.at, ...about, approval })),
    ...session.questions.map((question) => ({ type: 'question' as const, at: question.at, ...about, question })),
  ]
}

function stoppedBudget(session: SessionState): InboxItem {
  const { sessionId, agentName, title, costUsd, limits, statusReason, stoppedSum, stoppedBudgetId } = session
  const isOwnLimit = isOutOfOwnMoney(session)
  const reason = isOwnLimit || statusReason === null ? 'the limit of this session is reached' : statusReason
  // A budget of units has no dollars: its reason says how many.
  const { spent, limit } = stoppedSum?.unit === 'usd' ? stoppedSum : { spent: costUsd, limit: limits.maxBudgetUsd }
  const budget = stoppedBudgetId === undefined ? {} : { budgetId: stoppedBudgetId }
  const money = { spentUsd: spent, limitUsd: limit, reason, isOwnLimit, ...budget }
  return { type: 'budget', at: session.stoppedAt ?? session.updatedAt, sessionId, agentName, title, ...money }
}

interface GivenAnswer {
  readonly answers: JsonObject | null
  readonly note: string | null
  readonly by: string
}

/** The answer as the waiting process hears it: the log's has its secrets removed. */
function replyOf({ answers, note, by }: GivenAnswer): QuestionReply {
  if (answers !== null) return { type: 'answered', answers, note }
  return { type: 'declined', message: `${by} declined to answer.${note === null ? '' : ` ${note}`}` }
}
