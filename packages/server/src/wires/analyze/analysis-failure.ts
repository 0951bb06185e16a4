// Why a question has no answer, as its reader is told.
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

/** Where no turn says why: it was stopped by somebody, or never begun. */
export function restFailure(status: SessionStatus, reason: string | null): Failure {
  if (status === 'interrupting' || status === 'interrupted' || status === 'cancelled') {
    return { type: 'error', message: 'the analysis was cancelled', code: 'cancelled', retryable: false }
  }
  const message = reason ?? `the analysis rests: ${status.replaceAll('_', ' ')}`
  return { type: 'error', message, code: status, retryable: status !== 'completed' }
}

export const expired: Failure = {
  type: 'error',
  message: 'nobody was there for this analysis: its calls wait until it is woken',
  code: sessionExpired,
  retryable: true,
}
