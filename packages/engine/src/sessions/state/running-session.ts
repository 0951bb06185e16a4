// A session that this process works on: its writer, its stream and, if there is one, its agent process.
import type { SessionState, SessionStatus, Unreported, UnreportedDecision } from '@quarterdeck/protocol'
import { type ChangeEmitter, createChangeEmitter } from '../../async/change-emitter.ts'
import { createRunInOrder, type RunInOrder } from '../../async/run-in-order.ts'
import { createHeldProcess } from '../../processes/held-process.ts'
import type { ProcessHolder } from '../../processes/process-holder.ts'
import { isTurnWorking } from '../../processes/turn-watch.ts'
import type { OpenTextWriter } from '../streaming/open-text-writer.ts'
import { createTokenStream, type TokenStream } from '../streaming/token-stream.ts'
import {
  type ApprovalWaiters,
  type ClientCallWaiters,
  createApprovalWaiters,
  createClientCallWaiters,
  createQuestionWaiters,
  type QuestionWaiters,
} from './ask-waiters.ts'
import { type ChangedInputs, createChangedInputs } from './changed-inputs.ts'
import { createSessionPhases, type SessionPhases } from './session-phase.ts'
import { createSessionWriter, type SessionWriter, type SessionWriterOptions } from './session-writer.ts'
import { createTurnPause, type TurnPause } from './turn-pause.ts'

export interface RunningSession extends ProcessHolder {
  readonly writer: SessionWriter
  readonly tokens: TokenStream
  /** Inputs of the calls in flight that a person or a hook has changed. */
  readonly changedInputs: ChangedInputs
  readonly approvals: ApprovalWaiters
  readonly questions: QuestionWaiters
  readonly clientCalls: ClientCallWaiters
  /** Emits when clients attach or detach. */
  readonly clientToolChanges: ChangeEmitter
  readonly phase: SessionPhases
  readonly pause: TurnPause
  /** Hands messages into the running turn, one after the other. The turn ends after that. */
  readonly steerInOrder: RunInOrder
}

const stopping: ReadonlySet<SessionStatus> = new Set(['pausing', 'interrupting', 'cancelling'])

/** From here on, no answer reaches the running turn. */
const isTurnStopping = ({ phase, writer }: RunningSession): boolean =>
  phase.isStopping() || stopping.has(writer.state().status)

/** An answer for the running turn is being logged, or waits for the turn to get its slot back. */
export const isAnswered = ({ approvals, questions, clientCalls }: RunningSession): boolean =>
  approvals.isClaimed() || questions.isClaimed() || clientCalls.isClaimed()

/** After the end of a turn: the answers it never received, or received and could not use. Each is returned once. */
export const missedAnswers = ({ approvals, questions, clientCalls }: RunningSession): readonly Unreported[] => [
  ...approvals.missed(),
  ...questions.missed(),
  ...clientCalls.missed(),
  // An allowed call that was stopped may have run. Any other answer can be used again without harm.
  ...approvals
    .unsettled()
    .flatMap((unreported) => (isAllowed(unreported) ? [{ ...unreported, mayHaveRun: true }] : [])),
  ...questions.unsettled(),
  ...clientCalls.unsettled(),
]

const isAllowed = (unreported: Unreported): unreported is UnreportedDecision =>
  unreported.type === 'decision' && unreported.isAllowed

/** The call has its result: its answer has been used. */
export function settleAnswers({ approvals, questions, clientCalls }: RunningSession, toolUseId: string): void {
  for (const { settle } of [approvals, questions, clientCalls]) settle(toolUseId)
}

/** For a dead process: the calls it was running are reported separately. */
export function forgetReceived({ approvals, questions, clientCalls }: RunningSession): void {
  for (const { unsettled } of [approvals, questions, clientCalls]) unsettled()
}

export function createRunningSession(
  options: SessionWriterOptions & { readonly initial: SessionState | null; readonly openTextWriter: OpenTextWriter },
): RunningSession {
  const { sessionId, store, openTextWriter, redactor } = options
  const phase = createSessionPhases()
  const pause = createTurnPause({
    current: phase.pausedTurn,
    isWorking: () => isTurnWorking(phase.requests(), running.writer.state()),
  })
  const isStopping = () => isTurnStopping(running)
  // A waiting turn gives up its slot: it needs one again before it uses the answer.
  const waiting = { onWait: pause.begin, onAnswer: pause.end, over: pause.over, isStopping }
  const running: RunningSession = {
    writer: createSessionWriter({
      ...options,
      onWritten(state, events) {
        options.onWritten?.(state, events)
        pause.review()
      },
    }),
    tokens: createTokenStream({ sessionId, store, openTextWriter, redactor }),
    changedInputs: createChangedInputs(),
    approvals: createApprovalWaiters(waiting),
    questions: createQuestionWaiters(waiting),
    clientCalls: createClientCallWaiters(waiting),
    clientToolChanges: createChangeEmitter(),
    process: createHeldProcess(),
    phase,
    pause,
    steerInOrder: createRunInOrder(),
  }
  return running
}

/** A turn with a model request in flight works: it needs its slot. */
export function beginRequest({ phase, pause }: RunningSession, requestId: string): void {
  phase.beginRequest(requestId)
  pause.review()
}

export function endRequest({ phase, pause }: RunningSession, requestId: string): void {
  phase.endRequest(requestId)
  pause.review()
}
