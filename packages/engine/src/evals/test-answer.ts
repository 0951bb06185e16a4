// What came of one message, as a test looks at it.
import {
  type ExecutionResult,
  errorReasons,
  type InputImage,
  isClosedStatus,
  type SessionId,
  type SessionState,
} from '@quarterdeck/protocol'
import { emptyResult } from '../backends/empty-result.ts'
import type { IdleOutcome } from './await-idle.ts'

export interface TestMessage {
  readonly text: string
  readonly images: readonly InputImage[]
}

export interface TestAnswer {
  readonly sessionId: SessionId
  readonly result: ExecutionResult
  readonly durationMs: number
  /** `null` when something in it has no price. */
  readonly costUsd: number | null
  /** False: nothing of the agent was ever there, so this says nothing about it. */
  readonly hasRun: boolean
  /** The process died; the next message gets another. */
  readonly isBroken: boolean
  /** Calls that were refused or stopped, by id. */
  readonly withoutResult: ReadonlySet<string>
  /** The session takes no other message. */
  readonly isOver: boolean
}

interface Outcome {
  readonly idleOutcome: IdleOutcome
  readonly before: Pick<SessionState, 'costUsd'>
  readonly state: SessionState
  readonly durationMs: number
}

export function toTestAnswer({ idleOutcome, before, state, durationMs }: Outcome): TestAnswer {
  const { ended, hasStarted, stopReason, status, withoutResult } = idleOutcome
  const result = resultOf(idleOutcome, state)
  return {
    sessionId: state.sessionId,
    durationMs,
    withoutResult,
    result: stopReason === null || !wasStopped(ended) ? result : { ...result, isError: true, errorReason: stopReason },
    costUsd: state.hasUnpricedUsage ? null : state.costUsd - before.costUsd,
    hasRun: hasStarted || (ended !== null && !isUnable(ended)) || status === 'stopped_budget',
    isBroken: ended?.data.outcome === 'crashed',
    isOver: ended === null || status === 'stopped_budget' || isClosedStatus(status),
  }
}

const wasStopped = (ended: IdleOutcome['ended']): boolean => ended === null || ended.data.outcome !== 'completed'

const isUnable = ({ data }: NonNullable<IdleOutcome['ended']>): boolean =>
  data.outcome === 'crashed' || data.outcome === 'failed'

/** A budget may refuse a turn before it begins: then none has ended, and the session's state says why. */
function resultOf({ ended, status }: IdleOutcome, state: SessionState): ExecutionResult {
  if (ended !== null) return ended.data.result
  const reason = status === 'stopped_budget' ? errorReasons.budget : (state.statusReason ?? `the session is ${status}`)
  return { ...emptyResult, isError: true, errorReason: reason }
}
