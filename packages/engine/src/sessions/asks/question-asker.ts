// Asks people questions for one session: logs each question and waits, unless the log already has the answer.
import type { OpenQuestion, QuestionId, UnreportedAnswer } from '@quarterdeck/protocol'
import { canonicalJson } from '../../permissions/calls/normalise-input.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Logger } from '../../ports/logger.ts'
import type { AskedQuestion, QuestionAsker, QuestionReply } from '../../ports/question-asker.ts'
import type { Redactor } from '../../redaction/redact.ts'
import { checkAnswers } from '../rules/check-answers.ts'
import { type AskedIn, type QuestionWaiters, waitWhile } from '../state/ask-waiters.ts'
import type { SessionWriter } from '../state/session-writer.ts'

export interface QuestionAskerOptions {
  readonly writer: SessionWriter
  readonly waiters: QuestionWaiters
  readonly canAsk: boolean
  readonly expiresAfterMs: number | null
  readonly onAsked: (questionId: QuestionId, expiresAt: string | null) => void
  readonly redactor: Redactor
  readonly clock: Clock
  readonly ids: Ids
  readonly logger: Logger
}

const nobodyToAsk = 'Nobody can be asked here. Go on with what seems best and say what you assumed.'

export function createQuestionAsker(options: QuestionAskerOptions): QuestionAsker {
  const { writer, waiters, redactor } = options
  /** An answer that was given earlier serves one question. */
  const used = new Set<QuestionId>()

  async function ask(question: AskedQuestion, signal: AbortSignal): Promise<QuestionReply> {
    if (!options.canAsk) return { type: 'declined', message: nobodyToAsk }
    // The log contains questions without their secrets, so they must be compared that way.
    const logged = redactor.value({ ...question, items: [...question.items] })
    const known = answerFor(logged)
    if (known !== undefined) return use(known)
    const earlier = writer.state().questions.find((open) => isLeftOpen(open) && isSameQuestion(open, logged))
    const { toolUseId } = question
    return earlier === undefined ? askAnew(question, signal) : takeUp(earlier.questionId, { signal, toolUseId })
  }

  /** A visit to a link for an earlier request says nothing about this one. */
  const answerFor = (question: AskedQuestion): UnreportedAnswer | undefined =>
    question.url === null ? answersSoFar().find((known) => isAnswerTo(known, question)) : undefined

  function answersSoFar(): readonly UnreportedAnswer[] {
    const { kept, unreported } = writer.state()
    return [...kept, ...unreported]
      .filter((one) => one.type === 'answer')
      .filter(({ questionId }) => !used.has(questionId))
  }

  function use({ questionId, answers, note }: UnreportedAnswer): QuestionReply {
    used.add(questionId)
    if (answers !== null) return { type: 'answered', answers, note }
    return { type: 'declined', message: `The person declined to answer.${note === null ? '' : ` ${note}`}` }
  }

  const isLeftOpen = ({ turnId, questionId }: OpenQuestion): boolean =>
    turnId !== writer.state().turn?.turnId && !waiters.isWaiting(questionId)

  async function askAnew(question: AskedQuestion, signal: AbortSignal): Promise<QuestionReply> {
    const questionId = options.ids.next('qst')
    const { expiresAfterMs, clock } = options
    const expiresAt = expiresAfterMs === null ? null : new Date(clock.now().getTime() + expiresAfterMs).toISOString()
    const { answer } = await waitWhile(waiters, { id: questionId, signal, toolUseId: question.toolUseId }, () =>
      writer.apply({ type: 'question.ask', questionId, ...question, expiresAt }),
    )
    options.onAsked(questionId, expiresAt)
    return answer
  }

  async function takeUp(questionId: QuestionId, asked: AskedIn): Promise<QuestionReply> {
    const { answer, giveUp } = await waitWhile(waiters, { id: questionId, ...asked }, () =>
      writer.apply({ type: 'question.take-up', questionId }),
    )
    // The answer arrived just before the wait began: it is in the log, and no other will come.
    const known = answersSoFar().find((one) => one.questionId === questionId)
    if (known === undefined) return answer
    await giveUp()
    return use(known)
  }

  return {
    async ask(question, signal) {
      try {
        return await ask(question, signal)
      } catch (error) {
        options.logger.error({ sessionId: writer.sessionId, error: String(error) }, 'a question could not be asked')
        return { type: 'declined', message: 'The question could not be asked: go on without an answer.' }
      }
    },
  }
}

const wording = ({ source, server, message, items, schema, url }: Omit<AskedQuestion, 'toolUseId' | 'agent'>): string =>
  canonicalJson({ source, server, message, items, schema, url })

const isSameQuestion = (one: OpenQuestion, other: AskedQuestion): boolean => wording(one) === wording(other)

/** A server may have changed its schema: the earlier answer is then invalid. */
const isAnswerTo = ({ message, items, answers }: UnreportedAnswer, question: AskedQuestion): boolean =>
  message === question.message &&
  canonicalJson(items) === canonicalJson(question.items) &&
  (answers === null || checkAnswers({ ...question, items: [...question.items] }, answers) === null)
