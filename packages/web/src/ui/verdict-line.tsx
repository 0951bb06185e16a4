interface VerdictLineProps {
  readonly verdict:
    | { readonly phase: 'sending'; readonly isRetrying: boolean }
    | { readonly phase: 'recorded' }
    | { readonly phase: 'decided'; readonly words: string }
    | { readonly phase: 'failed'; readonly failure: { readonly message: string } }
}

/** What became of the decision, in words. */
export function VerdictLine({ verdict }: VerdictLineProps) {
  switch (verdict.phase) {
    case 'sending':
      return <p role="status">{verdict.isRetrying ? 'The server does not answer. Sending again…' : 'Sending…'}</p>
    case 'recorded':
      return <p role="status">Recorded.</p>
    case 'decided':
      return <p role="status">{verdict.words} The session’s log shows it.</p>
    case 'failed':
      return (
        <p className="problem" role="alert">
          Not recorded: {verdict.failure.message}
        </p>
      )
  }
}
