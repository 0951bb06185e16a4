// Runs the queued messages of a session, one turn each, until it rests.
import {
  type Command,
  type EventDraft,
  isClosedStatus,
  isQuarterdeckError,
  type QueuedMessage,
  type SessionEvent,
  type SessionId,
  type Thinking,
  type TurnId,
  type Unreported,
} from '@quarterdeck/protocol'
import { startWorkTimer } from '../../async/work-timer.ts'
import type { BackendEvent } from '../../backends/backend.ts'
import type { ModelChoice } from '../../money/choose-model.ts'
import type { SessionSpending } from '../../money/session-spending.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Logger } from '../../ports/logger.ts'
import type { OpenBackend } from '../../processes/held-process.ts'
import type { EventStore } from '../../store/ports/event-store.ts'
import type { AgentProcesses } from '../launch/agent-processes.ts'
import { retryUntilStored } from '../state/retry-until-stored.ts'
import type { RunningSession } from '../state/running-session.ts'
import { resumeIfLifted } from './resume-funded-sessions.ts'
import { calledOffTurn, failedTurn, runTurn, turnInput } from './run-turn.ts'
import { steerWaiting } from './steer-waiting.ts'
import { turnLogLine } from './turn-log-line.ts'

export interface TurnLoopOptions {
  readonly store: Pick<EventStore, 'read'>
  readonly ids: Ids
  readonly logger: Logger
  readonly money: SessionSpending
  /** The credential to check when the provider refuses the key. */
  readonly keyVariableOf: (agentName: string) => Promise<string>
  readonly processes: Pick<AgentProcesses, 'enterTurn' | 'open' | 'close' | 'closeForNext' | 'starts'>
  /** How long a stuck turn may take to end before its process is abandoned. */
  readonly stopPatienceMs: number
  readonly isDraining: () => boolean
  /** Resolves when no booking of the session is being written. */
  readonly booked: (sessionId: SessionId) => Promise<void>
  /** The loop starts. */
  readonly onWorking: (running: RunningSession) => void
  /** The agent starts to answer: deferred work can be done now. */
  readonly onFirstToken: (running: RunningSession) => void
  /** A turn has ended and its process is still there. */
  readonly onTurnEnded: (running: RunningSession) => Promise<void>
  /** The loop has ended for now. */
  readonly onRested: (running: RunningSession) => Promise<void>
}

interface TurnToTake {
  readonly turnId: TurnId
  readonly message: QueuedMessage
  readonly abort: AbortController
  readonly choice: ModelChoice | undefined
  /** Overrides the session's thinking for this turn. */
  readonly thinking: Thinking | undefined
}

export function createTurnLoop(options: TurnLoopOptions) {
  const { ids, logger, isDraining, processes, money } = options

  const newMessageId = () => ids.next('umsg')

  /** Starts on queued messages unless a turn runs already. */
  function kick(running: RunningSession): void {
    const { phase, writer } = running
    if (isDraining() || phase.isLost() || !phase.isResting() || writer.state().status !== 'queued') return
    options.onWorking(running)
    const rest = phase.queue()
    work(running).then(
      () => {
        rest()
        onRested(running)
        kick(running) // a message may have arrived after the last check
      },
      (error: unknown) => {
        // Not kicked again, because it would fail again at once. The next message retries.
        logger.error({ sessionId: writer.sessionId, error }, 'the turn loop failed')
        rest()
        onRested(running)
      },
    )
  }

  function onRested(running: RunningSession): void {
    running.process.touch()
    options
      .onRested(running)
      .catch((error: unknown) => logger.error({ error }, 'the session could not be brought to rest'))
  }

  async function work(running: RunningSession): Promise<void> {
    while (hasWork(running)) {
      const slot = await processes.enterTurn(running, () => hasWork(running))
      if (slot === null) return
      const abort = running.phase.beginTurn(slot)
      try {
        if (!(await workOnce(running, abort))) return
      } finally {
        running.process.touch()
        running.phase.endTurn()
      }
      await options.onTurnEnded(running)
    }
  }

  const hasWork = (running: RunningSession): boolean => {
    const { status, queued } = running.writer.state()
    const isHeld = status === 'stopped_budget' || status === 'paused' || isClosedStatus(status)
    return !isDraining() && !running.phase.isDetaching() && !isHeld && queued.length > 0
  }

  /** False if there was nothing to do. */
  async function workOnce(running: RunningSession, abort: AbortController): Promise<boolean> {
    const turnId = ids.next('trn')
    const { thinking, ...terms } = await untilAnswered(running, () => money.beforeTurn(running.writer))
    let message: QueuedMessage | undefined
    const events = await untilWritten(running, () => {
      // Until now the first message may be edited, cancelled or overtaken.
      message = running.writer.state().queued[0]
      return { type: 'turn.start', turnId, ...terms }
    })
    if (message === undefined || !events.some((event) => event.type === 'TurnStarted')) {
      await untilAnswered(running, () => resumeIfLifted(options, running))
      return false
    }
    const ended = await takeTurn(running, { turnId, message, abort, choice: terms.choice, thinking })
    if (ended.data.outcome === 'crashed') running.phase.markCrashed()
    abort.abort() // pending waits of the turn get no answer any more
    await finishTurn(running, turnId, ended)
    return true
  }

  async function takeTurn(
    running: RunningSession,
    { turnId, message, abort, choice, thinking }: TurnToTake,
  ): Promise<EventDraft<'TurnEnded'>> {
    const { limits, durationMs } = running.writer.state()
    let isTimedOut = false
    const timer = startWorkTimer(limits.maxDurationMs - durationMs, () => {
      isTimedOut = true
      abort.abort()
    })
    const stuck = createStuckStop(abort, options.stopPatienceMs)
    running.phase.runTurn({ timer, onStuck: stuck.stop })
    let started: () => void = () => undefined
    let isHandedOver = false
    try {
      const opened = running.process.backend()
      if (opened !== null && opened.limits !== limits) await processes.closeForNext(running)
      const backend = await openFor(running, choice)
      const { session, subagents, isMetered, turnTimeoutMs } = backend
      if (turnTimeoutMs !== null) timer.limitTo(turnTimeoutMs)
      if (thinking !== undefined) await session.setThinking(thinking)
      money.beginComparing(running.writer)
      if (!isMetered) {
        const stop = await money.reserveTurn(running.writer, turnId, abort.signal)
        if (stop !== null) return failedTurn(stop.message)
      }
      started = await start(running, backend, abort.signal)
      const { writer, tokens, changedInputs } = running
      const input = await turnInput(options.store, writer.sessionId, message)
      const facts = { turnId, input, messageId: message.messageId, writer, tokens, changedInputs, subagents, timer }
      const signs = { onEvent: listen(running, started), isTimedOut: () => isTimedOut, isStuck: stuck.isStuck }
      const bookReported = isMetered ? null : bookAndStop(running, abort)
      isHandedOver = !abort.signal.aborted
      return await runTurn(session, { ...facts, ...signs, bookReported, signal: abort.signal, givenUp: stuck.givenUp })
    } catch (error) {
      if (!abort.signal.aborted || error !== abort.signal.reason) return await failTurn(running, turnId, error)
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
      if (thinking !== undefined) await thinkAsUsual(running)
      // Not awaited: the next turn waits for it, and this one has failed now.
      if (stuck.givenUp.aborted) void processes.close(running)
    }
  }

  /**
   * After a turn with more thinking. A process that fails here is dead: the next one starts with the session's setting.
   */
  async function thinkAsUsual(running: RunningSession): Promise<void> {
    const { sessionId, state } = running.writer
    try {
      await running.process.backend()?.session.setThinking(state().thinking)
    } catch (error) {
      logger.warn({ sessionId, error }, 'the agent process did not take back its thinking setting')
    }
  }

  /** The process with the model for this turn. A process that is opened for it starts with that model. */
  async function openFor(running: RunningSession, choice: TurnToTake['choice']): Promise<OpenBackend> {
    const backend = await processes.open(running)
    // An earlier process may have another model; one that is opened for this turn has the right one.
    if (choice !== undefined && backend.model() !== choice.model) await backend.session.setModel(choice.model)
    return backend
  }

  /** Without a gateway no request is refused: the turn is stopped when a limit is used up. */
  const bookAndStop =
    (running: RunningSession, abort: AbortController) => async (usage: EventDraft<'UsageRecorded'>) => {
      if ((await money.bookReported(running.writer, usage)) !== null) abort.abort()
    }

  /** Processes start one at a time. The returned function marks the start as done. An interrupted one never starts. */
  async function start({ process }: RunningSession, backend: OpenBackend, signal: AbortSignal): Promise<() => void> {
    if (process.isStarted()) return () => undefined
    const started = await processes.starts.enter('awaited', signal)
    if (!signal.aborted) process.markStarted(backend)
    return started
  }

  function listen(running: RunningSession, started: () => void): (event: BackendEvent) => void {
    let isAnswering = false
    let hasReceivedEvent = false
    return (event) => {
      if (!hasReceivedEvent) void steerWaiting(running, logger) // messages for this turn that arrived while its process started
      hasReceivedEvent = true
      running.phase.noteActivity()
      if (event.type === 'ToolExecuted' && event.data.withoutResult !== true) running.asks.settle(event.data.toolUseId)
      // These events come before the process starts.
      if (event.type !== 'SecurityNoticed' && event.type !== 'RawBackendMessage') started()
      if (isAnswering || (event.type !== 'AgentStreamToken' && event.type !== 'AgentThought')) return
      isAnswering = true
      options.onFirstToken(running)
    }
  }

  /** The process is in an unknown state: it ends, and the next turn resumes the session. */
  async function failTurn(running: RunningSession, turnId: TurnId, error: unknown): Promise<EventDraft<'TurnEnded'>> {
    const where = { sessionId: running.writer.sessionId, turnId }
    // An expected failure has a full message, which readers of the session see.
    if (isQuarterdeckError(error)) logger.info({ ...where, error: error.message }, 'the turn could not run')
    else logger.error({ ...where, error }, 'the turn could not run')
    await processes.close(running)
    // The reader can fix an error with a code. Anything else is a failure of the backend.
    const outcome = isQuarterdeckError(error) ? 'failed' : 'crashed'
    return failedTurn(error instanceof Error ? error.message : String(error), outcome)
  }

  async function finishTurn(running: RunningSession, turnId: TurnId, reported: EventDraft<'TurnEnded'>): Promise<void> {
    const { refusedKey, openedWith, isHandedOver } = running.phase.endingTurn()
    // A turn that ends without its last answer, for example on a full disk, can be faster than the booking.
    await options.booked(running.writer.sessionId)
    const { ended, heldTo, ...terms } = await money.afterTurn(
      running.writer,
      turnId,
      await asRefusedKey(running, refusedKey, reported),
    )
    await running.steerInOrder(async () => undefined) // waits for messages that are being handed over
    const isGone = ended.data.outcome === 'crashed'
    if (isGone) {
      await processes.close(running)
      running.asks.forgetReceived()
    }
    const keepsAsks = isGone || running.phase.isDetaching()
    const missed: Unreported[] = []
    await untilWritten(running, () => {
      missed.push(...running.asks.missed()) // read once, although the write may be retried
      return { type: 'answer.miss', missed, keepsAsks }
    })
    const events = await untilWritten(running, {
      type: 'turn.end',
      ended,
      ...terms,
      heldTo: { ...openedWith, ...heldTo },
      keepsAsks,
      isHandedOver,
      wakeMessageId: newMessageId(),
    })
    logger.info(turnLogLine(running.writer.state(), events), 'turn ended')
    if (running.writer.state().status === 'cancelling') await untilWritten(running, { type: 'session.confirm-cancel' })
    await untilAnswered(running, () => resumeIfLifted(options, running))
  }

  /** A retry would not help, and the process may not report the cause. */
  async function asRefusedKey(
    running: RunningSession,
    refusedKey: number | null,
    ended: EventDraft<'TurnEnded'>,
  ): Promise<EventDraft<'TurnEnded'>> {
    const { outcome } = ended.data
    if (refusedKey === null || (outcome !== 'interrupted' && outcome !== 'failed')) return ended
    const errorReason = `the provider refused the key (${refusedKey}): check ${await keyNameOf(running)}`
    const result = { ...ended.data.result, isError: true, errorReason }
    return { ...ended, data: { ...ended.data, outcome: 'failed', result } }
  }

  /** The turn must end even without an agent file. */
  async function keyNameOf(running: RunningSession): Promise<string> {
    const { sessionId, state } = running.writer
    try {
      return await options.keyVariableOf(state().agentName)
    } catch (error) {
      logger.warn({ sessionId, error }, 'the agent file does not say which key was refused')
      return 'the key of this agent'
    }
  }

  /**
   * Without its start and end in the log a session could never continue: these writes are retried while the disk is
   * full.
   */
  const untilWritten = (
    running: RunningSession,
    command: Command | (() => Command),
  ): Promise<readonly SessionEvent[]> => untilAnswered(running, () => running.writer.apply(command))

  const untilAnswered = <Answer>(running: RunningSession, ask: () => Promise<Answer>): Promise<Answer> =>
    retryUntilStored(ask, {
      isGivenUp: isDraining,
      onFailure: (error) =>
        logger.error({ sessionId: running.writer.sessionId, error }, 'the store is unavailable: trying again'),
    })

  return { kick }
}

/** Stops a stuck turn: it is interrupted first, and abandoned after a while. */
function createStuckStop(abort: AbortController, stopPatienceMs: number) {
  const giveUp = new AbortController()
  let timer: NodeJS.Timeout | undefined
  return {
    isStuck: () => timer !== undefined,
    givenUp: giveUp.signal,
    stop() {
      timer = setTimeout(() => giveUp.abort(), stopPatienceMs)
      abort.abort()
    },
    end: () => clearTimeout(timer),
  }
}
