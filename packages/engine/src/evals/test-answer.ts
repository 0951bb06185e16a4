// The result of one message of a test.
import {
  type ExecutionResult,
  errorReasons,
  type InputImage,
  isClosedStatus,
  type SessionState,
} from '@quarterdeck/protocol'
import { emptyResult } from '../backends/empty-result.ts'
import type { IdleOutcome } from './await-idle.ts'

export interface TestMessage {
  readonly text: string
  readonly images: readonly InputImage[]
}

export type TestAnswer = Readonly<ReturnType<typeof toTestAnswer>>

interface Outcome {
  readonly idleOutcome: IdleOutcome
  readonly before: Pick<SessionState, 'costUsd'>
  readonly state: SessionState
  readonly durationMs: number
}

export function toTestAnswer({ idleOutcome, before, state, durationMs }: Outcome) {
  const { ended, hasStarted, stopReason, status, withoutResult } = idleOutcome
  const result = resultOf(idleOutcome, state)
  return {
    sessionId: state.sessionId,
    durationMs,
    /** Ids of calls that were refused or stopped. */
    withoutResult,
    result: stopReason === null || !wasStopped(ended) ? result : { ...result, isError: true, errorReason: stopReason },
    /** `null` if the price of any part is unknown. */
    costUsd: state.hasUnpricedUsage ? null : state.costUsd - before.costUsd,
    /** False if the agent process never started, so the result says nothing about the agent. */
    hasRun: hasStarted || (ended !== null && !isUnable(ended)) || status === 'stopped_budget',
    /** The process died; the next message gets another one. */
    isBroken: ended?.data.outcome === 'crashed',
    /** The session accepts no more messages. */
    isOver: ended === null || status === 'stopped_budget' || isClosedStatus(status),
  }
}

const wasStopped = (ended: IdleOutcome['ended']): boolean => ended === null || ended.data.outcome !== 'completed'

const isUnable = ({ data }: NonNullable<IdleOutcome['ended']>): boolean =>
  data.outcome === 'crashed' || data.outcome === 'failed'

/** A budget may refuse a turn before it starts: then no turn ended, and the state of the session has the reason. */
function resultOf({ ended, status }: IdleOutcome, state: SessionState): ExecutionResult {
  if (ended !== null) return ended.data.result
  const reason = status === 'stopped_budget' ? errorReasons.budget : (state.statusReason ?? `the session is ${status}`)
  return { ...emptyResult, isError: true, errorReason: reason }
}
