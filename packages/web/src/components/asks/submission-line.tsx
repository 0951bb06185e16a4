import { Problem } from '../controls/problem.tsx'

interface SubmissionLineProps {
  readonly submission:
    | { readonly phase: 'sending'; readonly isRetrying: boolean }
    | { readonly phase: 'recorded' }
    | { readonly phase: 'decided'; readonly message: string }
    | { readonly phase: 'failed'; readonly failure: { readonly message: string } }
}

/** The result of a submitted decision. */
export function SubmissionLine({ submission }: SubmissionLineProps) {
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
