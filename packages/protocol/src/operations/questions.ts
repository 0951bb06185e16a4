import { z } from 'zod'
import { OpenQuestion } from '../projections/session/session-state.ts'
import { SessionId } from '../values/ids.ts'
import type { JsonObject } from '../values/json.ts'
import { operation } from './operation.ts'
import { Applied } from './sessions.ts'

const ListQuestionsQuery = z.strictObject({ session: SessionId.optional() })

export const QuestionList = z
  .object({ questions: z.array(OpenQuestion.extend({ agentName: z.string(), title: z.string() })) })
  .meta({ id: 'QuestionList' })
export type QuestionList = z.infer<typeof QuestionList>

const isAnswers = (value: unknown): boolean => typeof value === 'object' && !Array.isArray(value)

/** Stored as received: a record would lose the answer to a question called `__proto__`. */
const Answers = z
  .custom<JsonObject | null>(isAnswers, 'must be an object, or null')
  .meta({ type: ['object', 'null'], additionalProperties: true })

/** By question text for an agent's question, by field name for a server's; `null` declines to answer. */
export const AnswerQuestionBody = z
  .strictObject({ answers: Answers, note: z.string().max(10_000).optional() })
  .meta({ id: 'AnswerQuestion' })
export type AnswerQuestionBody = z.input<typeof AnswerQuestionBody>

export const questionOperations = {
  listQuestions: operation({
    method: 'get',
    path: '/v1/questions',
    rpc: 'session.questions',
    summary: 'List every open question, oldest first',
    permission: 'read',
    belongsTo: { items: 'questions', session: 'session' },
    hasLargeReply: true,
    query: ListQuestionsQuery,
    reply: QuestionList,
    errors: [],
  }),
  answerQuestion: operation({
    method: 'post',
    path: '/v1/questions/{questionId}',
    rpc: 'session.answer',
    summary: 'Answer or decline a question; the first answer wins',
    permission: 'decide',
    belongsTo: 'ask',
    body: AnswerQuestionBody,
    reply: Applied,
    errors: ['question.not-found', 'question.already-answered', 'session.busy', 'session.held-elsewhere'],
  }),
}
