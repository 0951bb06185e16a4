import { type AnswerQuestionBody, type OpenQuestion, visibleText } from '@quarterdeck/protocol'
import { type ReactNode, useId } from 'react'
import type { SubmissionStatus } from '../../../stores/asks/submission-status.ts'
import { StateLabel } from '../../status/state-label.tsx'
import { SubmissionLine } from '../submission-line.tsx'
import { WaitingClock } from '../waiting-clock.tsx'
import { AskedUrl } from './asked-url.tsx'
import { ElicitedForm } from './elicited-form.tsx'
import { OptionsForm } from './options-form.tsx'

interface QuestionCardProps {
  readonly question: OpenQuestion
  /** The asking agent: `coder › explorer`. */
  readonly who: string
  readonly title?: ReactNode
  readonly submission: SubmissionStatus | undefined
  readonly onAnswer: (body: AnswerQuestionBody) => void
}

export function QuestionCard({ question, who, title, submission, onAnswer }: QuestionCardProps) {
  const headId = useId()
  const isSettled = submission !== undefined && submission.phase !== 'failed'
  const { message, url, server, source } = question
  return (
    <article className="ask" aria-labelledby={headId} data-question={question.questionId}>
      <header className="ask-head" id={headId}>
        <StateLabel state="waiting_user" />
        <span className="text-2 cut who">{who}</span>
        {server !== null && <span className="chip cut">{visibleText(server)}</span>}
        <WaitingClock since={question.at} until={question.expiresAt} />
      </header>
      <div className="ask-body">
        {title}
        {message !== '' && <p className="question-words">{visibleText(message)}</p>}
        {url !== null && <AskedUrl url={url} server={server} />}
        {source === 'agent' ? (
          <OptionsForm items={question.items} disabled={isSettled} onAnswer={onAnswer} />
        ) : (
          <ElicitedForm question={question} disabled={isSettled} onAnswer={onAnswer} />
        )}
        {submission !== undefined && <SubmissionLine submission={submission} />}
      </div>
    </article>
  )
}
