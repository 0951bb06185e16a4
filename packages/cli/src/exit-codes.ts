import { errorKind, isQuarterdeckError, type TurnOutcome } from '@quarterdeck/protocol'

/** 0 done, 1 the agent failed, 2 bad configuration, 3 the backend failed. */
export function exitCodeOfTurn(outcome: TurnOutcome): number {
  if (outcome === 'completed') return 0
  return outcome === 'crashed' || outcome === 'timeout' ? 3 : 1
}

export const exitCodeOfError = (error: unknown): number =>
  isQuarterdeckError(error) ? errorKind(error.code).exitCode : 3
