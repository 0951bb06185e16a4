// A session that this process works on: its writer, its stream and, if there is one, its agent process.
import {
  createEmitter,
  createSerialQueue,
  type Emitter,
  type SerialQueue,
  type SessionState,
  type SessionStatus,
} from '@quarterdeck/protocol'
import { createAgentProcess } from '../../processes/agent-process.ts'
import type { SessionWithProcess } from '../../processes/session-with-process.ts'
import { isTurnWorking } from '../../processes/turn-watch.ts'
import type { OpenTextWriter } from '../streaming/open-text-writer.ts'
import { createTokenStream, type TokenStream } from '../streaming/token-stream.ts'
import { type AskWaiters, createAskWaiters } from './ask-waiters.ts'
import { type ChangedInputs, createChangedInputs } from './changed-inputs.ts'
import { createSessionPhase, type SessionPhase } from './session-phase.ts'
import { createSessionWriter, type SessionWriter, type SessionWriterOptions } from './session-writer.ts'
import { createTurnPause, type TurnPause } from './turn-pause.ts'

export interface RunningSession extends SessionWithProcess {
  readonly writer: SessionWriter
  readonly tokens: TokenStream
  /** Inputs of the calls in flight that a person or a hook has changed. */
  readonly changedInputs: ChangedInputs
  /** The calls of the running turn that wait for answers. */
  readonly asks: AskWaiters
  /** Emits when clients attach or detach. */
  readonly clientToolChanges: Emitter
  readonly phase: SessionPhase
  readonly pause: TurnPause
  /** Hands messages into the running turn, one after the other. The turn ends after that. */
  readonly steerInOrder: SerialQueue
}

const stopping: ReadonlySet<SessionStatus> = new Set(['pausing', 'interrupting', 'cancelling'])

/** From here on, no answer reaches the running turn. */
const isTurnStopping = ({ phase, writer }: RunningSession): boolean =>
  phase.isStopping() || stopping.has(writer.state().status)

export function createRunningSession(
  options: SessionWriterOptions & { readonly initial: SessionState | null; readonly openTextWriter: OpenTextWriter },
): RunningSession {
  const { sessionId, store, openTextWriter, redactor } = options
  const phase = createSessionPhase()
  const pause = createTurnPause({
    current: phase.pausedTurn,
    isWorking: () => isTurnWorking(phase.requests(), running.writer.state()),
  })
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
    // A waiting turn gives up its slot: it needs one again before it uses the answer.
    asks: createAskWaiters({
      onWait: pause.begin,
      onAnswer: pause.end,
      over: pause.over,
      isStopping: () => isTurnStopping(running),
    }),
    clientToolChanges: createEmitter(),
    process: createAgentProcess(),
    phase,
    pause,
    steerInOrder: createSerialQueue(),
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
