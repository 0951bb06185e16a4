// A session that this process works on: its writer, its stream and, if there is one, its agent process.
import type { SessionState, SessionStatus, Unreported, UnreportedDecision } from '@quarterdeck/protocol'
import { type ChangeEmitter, createChangeEmitter } from '../../async/change-emitter.ts'
import type { WorkTimer } from '../../async/work-timer.ts'
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
  timer: WorkTimer | null
  readonly pause: TurnPause
  /** Settles when messages that are being handed into the running turn are logged. The turn ends after that. */
  steering: Promise<void>
  /** The status with which the provider refused the key in the running turn. */
  refusedKey: number | null
  readonly requests: Set<string>
  /** The process of the running turn has died: its asks stay open, although the turn has not ended yet. */
  hasCrashed: boolean
  /** Another server has taken the session: nothing new starts here. */
  isLost: boolean
}

const stopping: ReadonlySet<SessionStatus> = new Set(['pausing', 'interrupting', 'cancelling'])

/** From here on, no answer reaches the running turn. */
const isTurnStopping = ({ abort, isDetaching, writer }: RunningSession): boolean =>
  isDetaching || abort?.signal.aborted === true || stopping.has(writer.state().status)

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
  const pause = createTurnPause({
    current: () => running,
    isWorking: () => isTurnWorking(running.requests, running.writer.state()),
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
    backend: null,
    opening: null,
    leaving: null,
    isStarted: false,
    users: 0,
    abort: null,
    timer: null,
    turnSlot: null,
    pause,
    steering: Promise.resolve(),
    refusedKey: null,
    requests: new Set(),
    quietMs: 0,
    waitedMs: 0,
    stopStuck: null,
    working: null,
    restingSince: performance.now(),
    isDetaching: false,
    hasCrashed: false,
    isLost: false,
  }
  return running
}
