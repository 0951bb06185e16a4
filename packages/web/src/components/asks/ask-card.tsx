import type { SessionStatus } from '@quarterdeck/protocol'
import { type ReactNode, useId } from 'react'
import type { SubmissionStatus } from '../../stores/asks/submission-status.ts'
import { Problem } from '../controls/problem.tsx'
import { StateLabel } from '../status/state-label.tsx'
import { WaitingClock, type WaitingClockProps } from './waiting-clock.tsx'

interface AskCardProps extends WaitingClockProps {
  readonly state: SessionStatus
  /** The asking agent: `coder › explorer`. */
  readonly who: string
  /** Further facts in the head. */
  readonly facts?: ReactNode
  readonly submission: SubmissionStatus | undefined
  /** Identifies the request in the page. */
  readonly data: Readonly<Record<`data-${string}`, string>>
  readonly children: ReactNode
}

/** An open request: who asks and for how long, its content, and the result of a submitted decision. */
export function AskCard({ state, who, facts, submission, data, children, ...clock }: AskCardProps) {
  const headId = useId()
  return (
    <article className="ask" aria-labelledby={headId} {...data}>
      <header className="ask-head" id={headId}>
        <StateLabel state={state} />
        <span className="text-2 ellipsis who">{who}</span>
        {facts}
        <WaitingClock {...clock} />
      </header>
      <div className="ask-body">
        {children}
        {submission !== undefined && <SubmissionLine submission={submission} />}
      </div>
    </article>
  )
}

function SubmissionLine({ submission }: { readonly submission: SubmissionStatus }) {
  switch (submission.phase) {
    case 'sending':
      return <p role="status">{submission.isRetrying ? 'The server is not responding. Retrying…' : 'Sending…'}</p>
    case 'recorded':
      return <p role="status">Recorded.</p>
    case 'decided':
      return <p role="status">{submission.message} The session’s log shows it.</p>
    case 'failed':
      return <Problem text={`Not recorded: ${submission.failure.message}`} />
  }
}
