import type { QuarterdeckError } from '@quarterdeck/protocol'

/** What became of something decided on this page. */
export type SubmissionStatus =
  | { readonly phase: 'sending'; readonly isRetrying: boolean }
  | { readonly phase: 'recorded' }
  /** It was settled before this came: the log says so too. */
  | { readonly phase: 'decided'; readonly message: string }
  | { readonly phase: 'failed'; readonly failure: QuarterdeckError }

/** A refusal in words: whoever was a moment slower is told who was faster, and that nothing is wrong. */
export function refusalOf(failure: QuarterdeckError): SubmissionStatus {
  switch (failure.code) {
    case 'approval.already-decided':
      return { phase: 'decided', message: decidedMessage(failure.facts) }
    case 'question.already-answered':
      return { phase: 'decided', message: answeredMessage(failure.facts) }
    case 'session.closed':
      return { phase: 'decided', message: 'The session was closed meanwhile.' }
    default:
      return { phase: 'failed', failure }
  }
}

function decidedMessage({ decision, decidedBy }: QuarterdeckError['facts']): string {
  if (decision === 'expired') return 'It had expired before.'
  const what = decision === 'deny' ? 'denied' : decision === undefined ? 'decided' : 'allowed'
  return `Already ${what}${by(decidedBy)}.`
}

function answeredMessage({ how, answeredBy }: QuarterdeckError['facts']): string {
  if (how === 'expired') return 'It had expired before.'
  return `Already ${how === 'declined' ? 'declined' : 'answered'}${by(answeredBy)}.`
}

const by = (name: unknown): string => (typeof name === 'string' ? ` by ${name}` : '')
