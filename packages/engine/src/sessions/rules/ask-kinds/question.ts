// Questions of the agent and of MCP servers to people.
import { draft, formatAnswer, QuarterdeckError, type QuestionId } from '@quarterdeck/protocol'
import type { AskStrategy } from './ask-strategy.ts'
import { checkAnswers } from './check-answers.ts'

export const questionStrategy: AskStrategy<QuestionId> = {
  noun: 'question',
  status: 'waiting_user',
  errors: { unknown: 'question.not-found', settled: 'question.already-answered' },
  expiredReply: { type: 'declined', message: 'No person answered in time.' },
  stoppedReply: { type: 'declined', message: 'The turn was interrupted before a person answered.' },
  takenUp: (questionId, call) => draft('QuestionTakenUp', { questionId, ...call }),
  expired: (questionId) => draft('QuestionExpired', { questionId }),

  answered(question, { answers, note }, given) {
    const problem = answers === null ? null : checkAnswers(question, answers)
    if (problem !== null) throw new QuarterdeckError('request.invalid', problem)
    return draft('QuestionAnswered', { questionId: question.questionId, answers, note, ...given })
  },

  reply({ answers, note }, by) {
    if (answers !== null) return { type: 'answered', answers, note }
    return { type: 'declined', message: `${by} declined to answer.${note === null ? '' : ` ${note}`}` }
  },

  settlement(state, id) {
    const settled = state.settled.find((one) => one.id === id)
    if (settled === undefined) return null
    const { how, by, at } = settled
    const what = how === 'expired' ? `expired at ${at}` : `was ${how} by ${by} at ${at}`
    return { what, facts: { how, answeredBy: by, answeredAt: at } }
  },

  wakeLine({ items, message, answers, note }) {
    const questions = items.length === 0 ? [message] : items.map(({ question }) => question)
    return formatAnswer({ questions, answers, note })
  },

  stopped: (report) => report,
}
