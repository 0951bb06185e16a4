import { errorKind, isQuarterdeckError, type SessionState, type TurnOutcome } from '@quarterdeck/protocol'

/** 0 done, 1 the agent failed, 2 bad configuration, 3 the backend or something that the agent needs to start failed. */
export function exitCodeOfTurn(outcome: TurnOutcome, { backendSessionId }: Started): number {
  if (outcome === 'completed') return 0
  if (outcome === 'failed' && backendSessionId === null) return 3
  return outcome === 'crashed' || outcome === 'timeout' ? 3 : 1
}

/** A session whose agent never started has no backend id. */
type Started = Pick<SessionState, 'backendSessionId'>

export const exitCodeOfError = (error: unknown): number =>
  isQuarterdeckError(error) ? errorKind(error.code).exitCode : 3
