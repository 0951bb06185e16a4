// A session this process works on: its writer, its stream and, while it has one, its agent process.
import type { Limits, SessionState, SessionStatus, Unreported, UnreportedDecision } from '@quarterdeck/protocol'
import { type ChangeEmitter, createChangeEmitter } from '../../async/change-emitter.ts'
import type { WorkTimer } from '../../async/work-timer.ts'
import type { AgentSession, HostToolbox } from '../../backends/backend.ts'
import { isTurnWorking } from '../../processes/is-turn-working.ts'
import type { TurnSlot } from '../../processes/turn-slot.ts'
import type { OpenTextWriter } from '../streaming/open-text-writer.ts'
import { createTokenStream, type TokenStream } from '../streaming/token-stream.ts'
import { type ChangedInputs, createChangedInputs } from './changed-inputs.ts'
import { createSessionWriter, type SessionWriter, type SessionWriterOptions } from './session-writer.ts'
import type { SubagentBound } from './subagent-bound.ts'
import { createTurnPause, type TurnPause } from './turn-pause.ts'
import {
  type ApprovalWaiters,
  type ClientCallWaiters,
  createApprovalWaiters,
  createClientCallWaiters,
  createQuestionWaiters,
  type QuestionWaiters,
} from './waiters-by-kind.ts'

/** A session's side of its agent process. */
export interface OpenBackend {
  readonly session: AgentSession
  readonly subagents: SubagentBound
  readonly isMetered: boolean
  /** The model it was opened with, or was told last. */
  readonly model: () => string
  /** What the engine runs for it, as of now. */
  readonly hostTools: HostToolbox['list']
  /** Whoever listens hears that the process is gone. */
  readonly notifyEnded: () => Promise<void>
  /** What its process was fenced in with: it cannot be told of others. */
  readonly limits: Limits
  /** How long a turn of it may work; `null` for as long as the session may. */
  readonly turnTimeoutMs: number | null
}

export interface RunningSession {
  readonly writer: SessionWriter
  readonly tokens: TokenStream
  /** What became of the inputs of calls that are under way. */
  readonly changedInputs: ChangedInputs
  readonly approvals: ApprovalWaiters
  readonly questions: QuestionWaiters
  readonly clientCalls: ClientCallWaiters
  /** Rings when clients have come or gone. */
  readonly clientTools: ChangeEmitter
  /** The agent's process, kept between turns. */
  backend: OpenBackend | null
  /** It is being opened, or made ready before anybody asked for it. */
  opening: Promise<OpenBackend> | null
  /** The last process is on its way out: the next one must not meet it. */
  leaving: Promise<void> | null
  /** Its process has been started, and is ready or nearly so. */
  isStarted: boolean
  /** Somebody does something with the process outside of a turn: so many keep it from going. */
  users: number
  /** Aborts the running turn. */
  abort: AbortController | null
  timer: WorkTimer | null
  /** The running turn's place among those that run. */
  turnSlot: TurnSlot | null
  readonly pause: TurnPause
  /** Messages are being handed into the running turn: it is not over before that is in the log. */
  steering: Promise<void>
  /** With this status the provider refused the key in the running turn. */
  refusedKey: number | null
  /** Model requests under way. */
  readonly requests: Set<string>
  /** How long nothing has happened in the running turn, and how long it has done nothing but wait for somebody. */
  quietMs: number
  waitedMs: number
  /** Ends the running turn as stuck. */
  stopStuck: (() => void) | null
  /** The loop that takes queued messages; `null` while the session rests. */
  working: Promise<void> | null
  /** When the last turn ended or the process was last wanted, by the process clock. */
  restingSince: number
  /** The process is taken away by the engine, not by a person: what it asked stays open. */
  isDetaching: boolean
  /** The process of the running turn has died: what it asked stays open, though the turn is not over yet. */
  hasCrashed: boolean
  /** Another server has taken it: nothing is begun here any more. */
  isLost: boolean
}

const stopping: ReadonlySet<SessionStatus> = new Set(['pausing', 'interrupting', 'cancelling'])

/** From here on no answer reaches the running turn any more. */
const isTurnStopping = ({ abort, isDetaching, writer }: RunningSession): boolean =>
  isDetaching || abort?.signal.aborted === true || stopping.has(writer.state().status)

/** An answer for the running turn is being written, or waits for the turn to have its place again. */
export const isAnswered = ({ approvals, questions, clientCalls }: RunningSession): boolean =>
  approvals.isClaimed() || questions.isClaimed() || clientCalls.isClaimed()

/** Of a turn that is over: what it was told and never heard, or heard and could not use. Each is returned once. */
export const missedAnswers = ({ approvals, questions, clientCalls }: RunningSession): readonly Unreported[] => [
  ...approvals.missed(),
  ...questions.missed(),
  ...clientCalls.missed(),
  // Let through and then stopped: only an answer can be used again without harm.
  ...approvals
    .unsettled()
    .flatMap((unreported) => (isAllowed(unreported) ? [{ ...unreported, mayHaveRun: true }] : [])),
  ...questions.unsettled(),
  ...clientCalls.unsettled(),
]

const isAllowed = (unreported: Unreported): unreported is UnreportedDecision =>
  unreported.type === 'decision' && unreported.isAllowed

/** A call has come to its result: what it was told has been used. */
export function settleAnswers({ approvals, questions, clientCalls }: RunningSession, toolUseId: string): void {
  for (const { settle } of [approvals, questions, clientCalls]) settle(toolUseId)
}

/** Those of a process that died: what it was in the middle of is told as such. */
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
  // The turn gives its place away while it waits: it has to have one again before it uses the answer.
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
    clientTools: createChangeEmitter(),
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
