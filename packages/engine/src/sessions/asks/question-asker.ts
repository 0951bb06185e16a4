// Asks people questions for one session: logs each question and waits, unless the log already has the answer.
import { draft, type OpenQuestion, type UnreportedAnswer } from '@quarterdeck/protocol'
import { canonicalJson } from '../../permissions/calls/normalise-input.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Logger } from '../../ports/logger.ts'
import type { AskedQuestion, QuestionAsker, QuestionReply } from '../../ports/question-asker.ts'
import type { Redactor } from '../../redaction/redact.ts'
import { checkAnswers } from '../rules/ask-kinds/check-answers.ts'
import { questionStrategy } from '../rules/ask-kinds/question.ts'
import { type AskerOptions, createAsker } from './asker.ts'

export interface QuestionAskerOptions extends AskerOptions {
  readonly canAsk: boolean
  readonly expiresAfterMs: number | null
  readonly redactor: Redactor
  readonly ids: Ids
  readonly logger: Logger
}

const noPersonToAsk = 'No person can answer here. Choose the best option and state your assumptions.'

export function createQuestionAsker(options: QuestionAskerOptions): QuestionAsker {
  const { writer } = options
  const asker = createAsker(options)

  async function ask(question: AskedQuestion, signal: AbortSignal): Promise<QuestionReply> {
    if (!options.canAsk) return { type: 'declined', message: noPersonToAsk }
    // The log contains questions without their secrets, so they must be compared that way.
    const logged = options.redactor.value({ ...question, items: [...question.items] })
    const known = answerFor(logged)
    if (known !== undefined) return use(known)
    const call = { signal, toolUseId: question.toolUseId }
    const earlier = writer.state().questions.find((open) => asker.isLeftOpen(open) && isSameQuestion(open, logged))
    if (earlier !== undefined) return asker.takeUp(earlier.questionId, call, use)
    const questionId = options.ids.next('qst')
    const { agent, ...wanted } = question
    const expiresAt = options.expiresAfterMs === null ? null : asker.timeIn(options.expiresAfterMs)
    const asked = draft('QuestionAsked', { questionId, ...wanted, items: [...wanted.items], expiresAt }, { agent })
    return asker.request(questionId, asked, call)
  }

  /** A visit to a link for an earlier request says nothing about this one. */
  const answerFor = (question: AskedQuestion): UnreportedAnswer | undefined =>
    question.url === null
      ? asker
          .reports()
          .filter((report) => report.type === 'answer')
          .find((known) => isAnswerTo(known, question))
      : undefined

  function use(report: UnreportedAnswer): QuestionReply {
    asker.markUsed(report)
    return questionStrategy.reply(report, 'The person')
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
