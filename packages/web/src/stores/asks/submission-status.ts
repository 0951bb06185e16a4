import type { QuarterdeckError } from '@quarterdeck/protocol'

/** The status of a decision submitted from this page. */
export type SubmissionStatus =
  | { readonly phase: 'sending'; readonly isRetrying: boolean }
  | { readonly phase: 'recorded' }
  /** It was settled before this decision arrived. The log shows who did it. */
  | { readonly phase: 'decided'; readonly message: string }
  | { readonly phase: 'failed'; readonly failure: QuarterdeckError }

/** Explains a refusal. Losing a race against another user is not an error: the message names that user. */
export function refusalOf(failure: QuarterdeckError): SubmissionStatus {
  switch (failure.code) {
    case 'approval.already-decided':
      return { phase: 'decided', message: decidedMessage(failure.facts) }
    case 'question.already-answered':
      return { phase: 'decided', message: answeredMessage(failure.facts) }
    case 'session.closed':
      return { phase: 'decided', message: 'The session has been closed.' }
    default:
      return { phase: 'failed', failure }
  }
}

function decidedMessage({ decision, decidedBy }: QuarterdeckError['facts']): string {
  if (decision === 'expired') return 'It had already expired.'
  const what = decision === 'deny' ? 'denied' : decision === undefined ? 'decided' : 'allowed'
  return `Already ${what}${by(decidedBy)}.`
}

function answeredMessage({ how, answeredBy }: QuarterdeckError['facts']): string {
  if (how === 'expired') return 'It had already expired.'
  return `Already ${how === 'declined' ? 'declined' : 'answered'}${by(answeredBy)}.`
}

const by = (name: unknown): string => (typeof name === 'string' ? ` by ${name}` : '')
