// The error for the reader of a question that has no answer.
import {
  type AnalysisEvent,
  type EventOfType,
  type SessionStatus,
  sessionExpired,
  type TurnOutcome,
} from '@quarterdeck/protocol'

type Failure = Extract<AnalysisEvent, { type: 'error' }>

const canBeTriedAgain: ReadonlySet<TurnOutcome> = new Set(['failed', 'timeout', 'crashed', 'interrupted'])

export function failureOf({ outcome, result }: EventOfType<'TurnEnded'>['data']): Failure {
  const message = result.errorReason ?? `the analysis ended: ${outcome}`
  return { type: 'error', message, code: outcome, retryable: canBeTriedAgain.has(outcome) }
}

/** Used without a turn: the analysis was stopped, or never started. */
export function restFailure(status: SessionStatus, reason: string | null): Failure {
  if (status === 'interrupting' || status === 'interrupted' || status === 'cancelled') {
    return { type: 'error', message: 'the analysis was cancelled', code: 'cancelled', retryable: false }
  }
  const message = reason ?? `the analysis is stopped: ${status.replaceAll('_', ' ')}`
  return { type: 'error', message, code: status, retryable: status !== 'completed' }
}

export const expired: Failure = {
  type: 'error',
  message: 'the browser of this analysis is not connected: its calls wait until it is woken',
  code: sessionExpired,
  retryable: true,
}
