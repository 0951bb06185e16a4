// One session's road to people: a question goes into the log and its asker waits, unless the answer is there already.
import type { OpenQuestion, QuestionId, UnreportedAnswer } from '@quarterdeck/protocol'
import type { AskedQuestion, QuestionAsker, QuestionReply } from '../../backends/backend.ts'
import { canonicalJson } from '../../permissions/calls/normalise-input.ts'
import type { Logger } from '../../ports/logger.ts'
import type { Redactor } from '../../redaction/redact.ts'
import type { Clock, Ids } from '../../store/ports/event-store.ts'
import { checkAnswers } from '../rules/check-answers.ts'
import { type AskedIn, waitWhile } from '../state/ask-waiters.ts'
import type { SessionWriter } from '../state/session-writer.ts'
import type { QuestionWaiters } from '../state/waiters-by-kind.ts'

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
  /** An answer that was given beforehand answers one question. */
  const used = new Set<QuestionId>()

  async function ask(question: AskedQuestion, signal: AbortSignal): Promise<QuestionReply> {
    if (!options.canAsk) return { type: 'declined', message: nobodyToAsk }
    // The log holds questions without their secrets: only so can one be found there.
    const logged = redactor.value({ ...question, items: [...question.items] })
    const known = answerFor(logged)
    if (known !== undefined) return use(known)
    const earlier = writer.state().questions.find((open) => isLeftOpen(open) && isSameQuestion(open, logged))
    const { toolUseId } = question
    return earlier === undefined ? askAnew(question, signal) : takeUp(earlier.questionId, { signal, toolUseId })
  }

  /** A page that was visited for an earlier request says nothing about this one. */
  const answerFor = (question: AskedQuestion): UnreportedAnswer | undefined =>
    question.url === null ? answersSoFar().find((known) => isAnswerTo(known, question)) : undefined

  function answersSoFar(): readonly UnreportedAnswer[] {
    const { kept, untold } = writer.state()
    return [...kept, ...untold].filter((one) => one.type === 'answer').filter(({ questionId }) => !used.has(questionId))
  }

  function use({ questionId, answers, note }: UnreportedAnswer): QuestionReply {
    used.add(questionId)
    if (answers !== null) return { type: 'answered', answers, note }
    return { type: 'declined', message: `The person declined to answer.${note === null ? '' : ` ${note}`}` }
  }

  const isLeftOpen = ({ turnId, questionId }: OpenQuestion): boolean =>
    turnId !== writer.state().turn?.turnId && !waiters.isWaiting(questionId)

  async function askAnew(question: AskedQuestion, signal: AbortSignal): Promise<QuestionReply> {
    const questionId = options.ids.next('qst') as QuestionId // ids are made here, so the brand is too
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
    // It was answered a moment before anybody waited for it: nobody answers any more, the log does.
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

/** A server may have changed what it wants to know: then the old answer is none. */
const isAnswerTo = ({ message, items, answers }: UnreportedAnswer, question: AskedQuestion): boolean =>
  message === question.message &&
  canonicalJson(items) === canonicalJson(question.items) &&
  (answers === null || checkAnswers({ ...question, items: [...question.items] }, answers) === null)
