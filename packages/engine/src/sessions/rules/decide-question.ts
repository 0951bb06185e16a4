// Questions of the agent and of MCP servers to people.
import {
  type AnswerQuestion,
  type AskQuestion,
  draft,
  type EventDraft,
  type ExpireQuestion,
  type OpenQuestion,
  QuarterdeckError,
  type QuestionId,
  type SessionState,
  type TakeUpQuestion,
  unreportedAnswer,
} from '@quarterdeck/protocol'
import { checkAnswers } from './check-answers.ts'
import { originInTurn, requireTurnOver, settleAsk, waitAlso } from './settle-ask.ts'

export function askQuestion(state: SessionState, command: AskQuestion): readonly EventDraft[] {
  const { type: _, agent, items, ...asked } = command
  const question = draft('QuestionAsked', { ...asked, items: [...items] }, originInTurn(state, agent))
  return [question, ...waitAlso(state, 'waiting_user')]
}

/** From here on the turn waits for the open question. Nothing to do if it was answered first. */
export function takeUpQuestion(state: SessionState, { questionId }: TakeUpQuestion): readonly EventDraft[] {
  const question = state.questions.find((open) => open.questionId === questionId)
  if (question === undefined) return []
  const takenUp = draft('QuestionTakenUp', { questionId }, originInTurn(state, question.agent))
  return [takenUp, ...waitAlso(state, 'waiting_user')]
}

export function answerQuestion(state: SessionState, command: AnswerQuestion): readonly EventDraft[] {
  const { questionId, answers, note, by, isLive, wakeMessageId } = command
  const question = requireOpenQuestion(state, questionId)
  if (!isLive)
    requireTurnOver(state, { id: questionId, turnId: question.turnId, keepsAsks: command.keepsAsks === true })
  const problem = answers === null ? null : checkAnswers(question, answers)
  if (problem !== null) throw new QuarterdeckError('request.invalid', problem)
  const origin = { agent: question.agent, ...(state.turn === null ? {} : { turnId: state.turn.turnId }) }
  const answered = draft('QuestionAnswered', { questionId, answers, note, by, wasLive: isLive }, origin)
  const unreported = isLive ? null : unreportedAnswer(question, answered.data)
  return [answered, ...settleAsk(state, { id: questionId, unreported, wakeMessageId })]
}

export function expireQuestion(state: SessionState, command: ExpireQuestion): readonly EventDraft[] {
  const { questionId, agent } = requireOpenQuestion(state, command.questionId)
  const { wakeMessageId } = command
  const expired = draft('QuestionExpired', { questionId }, { agent })
  return [expired, ...settleAsk(state, { id: questionId, unreported: null, wakeMessageId })]
}

function requireOpenQuestion(state: SessionState, questionId: QuestionId): OpenQuestion {
  const open = state.questions.find((question) => question.questionId === questionId)
  if (open !== undefined) return open
  const settled = state.settled.find(({ id }) => id === questionId)
  if (settled === undefined) throw new QuarterdeckError('question.not-found', `there is no question ${questionId}`)
  const { how, by, at } = settled
  const what = how === 'expired' ? `expired at ${at}` : `was ${how} by ${by} at ${at}`
  throw new QuarterdeckError('question.already-answered', `question ${questionId} ${what}`, {
    facts: { how, answeredBy: by, answeredAt: at },
  })
}
