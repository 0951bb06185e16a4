import { type AnswerQuestionBody, type OpenQuestion, visibleText } from '@quarterdeck/protocol'
import { ExternalLink, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import type { SubmissionStatus } from '../../../stores/asks/submission-status.ts'
import { AskCard } from '../ask-card.tsx'
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
  const isSettled = submission !== undefined && submission.phase !== 'failed'
  const { message, url, server, source } = question
  return (
    <AskCard
      state="waiting_user"
      who={who}
      facts={server !== null && <span className="chip ellipsis">{visibleText(server)}</span>}
      since={question.at}
      until={question.expiresAt}
      submission={submission}
      data={{ 'data-question': question.questionId }}
    >
      {title}
      {message !== '' && <p className="question-words">{visibleText(message)}</p>}
      {url !== null && <AskedUrl url={url} server={server} />}
      {source === 'agent' ? (
        <OptionsForm items={question.items} disabled={isSettled} onAnswer={onAnswer} />
      ) : (
        <ElicitedForm question={question} disabled={isSettled} onAnswer={onAnswer} />
      )}
    </AskCard>
  )
}

/** A URL from an untrusted MCP server: shown in full, with its real host. The page never opens it by itself. */
function AskedUrl({ url, server }: { readonly url: string; readonly server: string | null }) {
  const address = webAddress(url)
  return (
    <div className="stack">
      <p>
        <TriangleAlert className="icon s" aria-hidden="true" /> {server === null ? 'It' : visibleText(server)} asks you
        to open this address. Check it first:
      </p>
      <div className="input">{visibleText(url)}</div>
      {address === null ? (
        <p className="muted">This is not a web address and cannot be opened from here.</p>
      ) : (
        <p>
          <a className="link" href={address.href} target="_blank" rel="noopener noreferrer">
            <ExternalLink className="icon s" aria-hidden="true" /> Open {address.host} in a new tab
          </a>
        </p>
      )}
    </div>
  )
}

function webAddress(url: string): URL | null {
  if (!URL.canParse(url)) return null
  const address = new URL(url)
  return address.protocol === 'https:' || address.protocol === 'http:' ? address : null
}
