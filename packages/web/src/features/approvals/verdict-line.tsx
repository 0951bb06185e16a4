import type { Verdict } from '../../state/approvals-store.ts'

/** What became of the decision, in words. */
export function VerdictLine({ verdict }: { readonly verdict: Verdict }) {
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
