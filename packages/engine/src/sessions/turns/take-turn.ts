// Gives a message to the agent: opens its process, runs the turn, and limits its time.
import {
  type EventDraft,
  isQuarterdeckError,
  messageOf,
  type QueuedMessage,
  type Thinking,
  type TurnId,
} from '@quarterdeck/protocol'
import { startWorkTimer } from '../../async/work-timer.ts'
import type { BackendEvent } from '../../backends/backend.ts'
import type { ModelChoice } from '../../money/choose-model.ts'
import type { SessionSpending } from '../../money/session-spending.ts'
import type { Logger } from '../../ports/logger.ts'
import type { OpenBackend } from '../../processes/agent-process.ts'
import type { EventStore } from '../../store/ports/event-store.ts'
import type { AgentProcesses } from '../launch/agent-processes.ts'
import type { RunningSession } from '../state/running-session.ts'
import { calledOffTurn, failedTurn, runTurn, turnInput } from './run-turn.ts'
import { steerWaiting } from './steer-waiting.ts'

export interface TakeTurnOptions {
  readonly store: Pick<EventStore, 'read'>
  readonly logger: Logger
  readonly money: Pick<SessionSpending, 'beginComparing' | 'reserveTurn' | 'bookReported'>
  readonly processes: Pick<AgentProcesses, 'open' | 'close' | 'closeForNext' | 'starts'>
  /** How long a stuck turn may take to end before its process is abandoned. */
  readonly stopTimeoutMs: number
  /** The agent starts to answer: deferred work can be done now. */
  readonly onFirstToken: (running: RunningSession) => void
}

export interface TurnToTake {
  readonly turnId: TurnId
  readonly message: QueuedMessage
  readonly abort: AbortController
  readonly choice: ModelChoice | undefined
  /** Overrides the session's thinking for this turn. */
  readonly thinking: Thinking | undefined
}

/** Resolves with the end of the turn, however it ended. */
export async function takeTurn(
  options: TakeTurnOptions,
  running: RunningSession,
  { turnId, message, abort, choice, thinking }: TurnToTake,
): Promise<EventDraft<'TurnEnded'>> {
  const { processes, money } = options
  const { limits, durationMs } = running.writer.state()
  let isTimedOut = false
  const timer = startWorkTimer(limits.maxDurationMs - durationMs, () => {
    isTimedOut = true
    abort.abort()
  })
  const stuck = createStuckStop(abort, options.stopTimeoutMs)
  running.phase.runTurn({ timer, onStuck: stuck.stop })
  let started: () => void = () => undefined
  let isHandedOver = false
  try {
    const opened = running.process.backend()
    if (opened !== null && opened.limits !== limits) await processes.closeForNext(running)
    const backend = await openFor(processes, running, choice)
    const { session, subagents, isMetered, turnTimeoutMs } = backend
    if (turnTimeoutMs !== null) timer.limitTo(turnTimeoutMs)
    if (thinking !== undefined) await session.setThinking(thinking)
    money.beginComparing(running.writer)
    if (!isMetered) {
      const stop = await money.reserveTurn(running.writer, turnId, abort.signal)
      if (stop !== null) return failedTurn(stop.message)
    }
    started = await start(processes, running, { backend, signal: abort.signal })
    const { writer, tokens, changedInputs } = running
    const unsaved = writer.state().unsaved.filter(({ messageId }) => messageId !== message.messageId)
    const input = await turnInput(options.store, writer.sessionId, { message, unsaved })
    const facts = { turnId, input, messageId: message.messageId, writer, tokens, changedInputs, subagents, timer }
    const signs = { onEvent: listen(options, running, started), isTimedOut: () => isTimedOut, isStuck: stuck.isStuck }
    const bookReported = isMetered ? null : bookAndStop(money, running, abort)
    isHandedOver = !abort.signal.aborted
    return await runTurn(session, { ...facts, ...signs, bookReported, signal: abort.signal, givenUp: stuck.givenUp })
  } catch (error) {
    if (!abort.signal.aborted || error !== abort.signal.reason) {
      return await failTurn(options, running, { turnId, error })
    }
    await processes.close(running)
    return calledOffTurn({ timer, isTimedOut: () => isTimedOut, isStuck: stuck.isStuck })
  } finally {
    started()
    timer.stop()
    stuck.end()
    const left = running.process.backend()
    running.phase.stopTurn({ openedWith: left?.limits, isHandedOver })
    left?.subagents.freeAll()
    running.changedInputs.clear()
    if (thinking !== undefined) await restoreThinking(options, running)
    // Not awaited: the next turn waits for it, and this one has failed now.
    if (stuck.givenUp.aborted) void processes.close(running)
  }
}

/** Stops a stuck turn: it is interrupted first, and abandoned after a while. */
function createStuckStop(abort: AbortController, stopTimeoutMs: number) {
  const giveUp = new AbortController()
  let timer: NodeJS.Timeout | undefined
  return {
    isStuck: () => timer !== undefined,
    givenUp: giveUp.signal,
    stop() {
      timer = setTimeout(() => giveUp.abort(), stopTimeoutMs)
      abort.abort()
    },
    end: () => clearTimeout(timer),
  }
}

/** The process with the model for this turn. A process that is opened for it starts with that model. */
async function openFor(
  processes: TakeTurnOptions['processes'],
  running: RunningSession,
  choice: ModelChoice | undefined,
): Promise<OpenBackend> {
  const backend = await processes.open(running)
  // An earlier process may have another model; one that is opened for this turn has the right one.
  if (choice !== undefined && backend.model() !== choice.model) await backend.session.setModel(choice.model)
  return backend
}

/** Processes start one at a time. The returned function marks the start as done. An interrupted one never starts. */
async function start(
  { starts }: TakeTurnOptions['processes'],
  { process }: RunningSession,
  { backend, signal }: { readonly backend: OpenBackend; readonly signal: AbortSignal },
): Promise<() => void> {
  if (process.isStarted()) return () => undefined
  const started = await starts.enter('awaited', signal)
  if (!signal.aborted) process.markStarted(backend)
  return started
}

function listen(
  { logger, onFirstToken }: TakeTurnOptions,
  running: RunningSession,
  started: () => void,
): (event: BackendEvent) => void {
  let isAnswering = false
  let hasReceivedEvent = false
  return (event) => {
    if (!hasReceivedEvent) void steerWaiting(running, logger) // messages for this turn that arrived while its process started
    hasReceivedEvent = true
    running.phase.noteActivity()
    if (event.type === 'ToolExecuted' && event.data.withoutResult !== true) running.asks.markUsed(event.data.toolUseId)
    // These events come before the process starts.
    if (event.type !== 'SecurityNoticed' && event.type !== 'RawBackendMessage') started()
    if (isAnswering || (event.type !== 'AgentStreamToken' && event.type !== 'AgentThought')) return
    isAnswering = true
    onFirstToken(running)
  }
}

/** Without a gateway no request is refused: the turn is stopped when a limit is used up. */
const bookAndStop =
  (money: TakeTurnOptions['money'], { writer }: RunningSession, abort: AbortController) =>
  async (usage: EventDraft<'UsageRecorded'>) => {
    if ((await money.bookReported(writer, usage)) !== null) abort.abort()
  }

/** The process is in an unknown state: it ends, and the next turn resumes the session. */
async function failTurn(
  { logger, processes }: TakeTurnOptions,
  running: RunningSession,
  { turnId, error }: { readonly turnId: TurnId; readonly error: unknown },
): Promise<EventDraft<'TurnEnded'>> {
  const where = { sessionId: running.writer.sessionId, turnId }
  // An expected failure has a full message, which readers of the session see.
  if (isQuarterdeckError(error)) logger.info({ ...where, error: error.message }, 'the turn could not run')
  else logger.error({ ...where, error }, 'the turn could not run')
  await processes.close(running)
  // The reader can fix an error with a code. Anything else is a failure of the backend.
  return failedTurn(messageOf(error), isQuarterdeckError(error) ? 'failed' : 'crashed')
}

/**
 * After a turn with more thinking. A process that fails here is dead: the next one starts with the session's setting.
 */
async function restoreThinking({ logger }: TakeTurnOptions, { process, writer }: RunningSession): Promise<void> {
  const { sessionId, state } = writer
  try {
    await process.backend()?.session.setThinking(state().thinking)
  } catch (error) {
    logger.warn({ sessionId, error }, 'the agent process did not take back its thinking setting')
  }
}
