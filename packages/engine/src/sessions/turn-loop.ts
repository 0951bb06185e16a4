// Takes the queued messages of a session, one turn each, until it rests.
import {
  type Command,
  type EventDraft,
  isClosedStatus,
  isQuarterdeckError,
  type QueuedMessage,
  type SessionEvent,
  type Thinking,
  type TurnId,
  type Untold,
  type UserMessageId,
} from '@quarterdeck/protocol'
import type { BackendEvent } from '../backends/backend.ts'
import type { ModelChoice } from '../money/choose-model.ts'
import type { MoneyDesk } from '../money/money-desk.ts'
import type { AgentProcesses } from '../processes/agent-processes.ts'
import type { StartLine } from '../processes/start-line.ts'
import type { TurnPlace } from '../processes/turn-place.ts'
import type { EventStore, Ids } from '../store/event-store.ts'
import type { Logger } from '../telemetry/logger.ts'
import { startWorkTimer } from '../work-timer.ts'
import { goOnIfLifted } from './go-on-with-money.ts'
import { forgetHeard, type LiveSession, missedAnswers, type OpenBackend, settleAnswers } from './live-session.ts'
import { calledOffTurn, failedTurn, runTurn } from './run-turn.ts'
import { steerWaiting } from './steer-waiting.ts'
import { turnInput } from './turn-input.ts'
import { turnLine } from './turn-line.ts'
import { untilStored } from './until-stored.ts'

export interface TurnLoopOptions {
  readonly store: Pick<EventStore, 'read'>
  readonly ids: Ids
  readonly logger: Logger
  readonly money: MoneyDesk
  /** What to check when the provider refuses the key. */
  readonly keyVariableOf: (agentName: string) => Promise<string>
  readonly processes: AgentProcesses
  readonly starts: StartLine
  /** What a stuck turn may take to end before its process is given up. */
  readonly stopPatienceMs: number
  /** Waits for a process and a turn; `null` when the session no longer wants one. */
  readonly enterTurn: (live: LiveSession, isWanted: () => boolean) => Promise<TurnPlace | null>
  readonly isDraining: () => boolean
  /** The loop begins. */
  readonly onWorking: (live: LiveSession) => void
  /** The agent begins to answer: what was put off for its sake can be done now. */
  readonly onFirstToken: (live: LiveSession) => void
  /** A turn is over and its process still there. */
  readonly onTurnEnded: (live: LiveSession) => Promise<void>
  /** The loop is over for now. */
  readonly onRested: (live: LiveSession) => Promise<void>
}

interface TurnToTake {
  readonly turnId: TurnId
  readonly message: QueuedMessage
  readonly abort: AbortController
  readonly choice: ModelChoice | undefined
  /** More than the session says, for this turn. */
  readonly thinking: Thinking | undefined
}

export function createTurnLoop(options: TurnLoopOptions) {
  const { ids, logger, isDraining, processes, money } = options

  const newMessageId = () => ids.next('umsg') as UserMessageId // ids are made here, so the brand is too

  /** Starts on queued messages unless a turn runs already. */
  function kick(live: LiveSession): void {
    if (isDraining() || live.isLost || live.working !== null || live.writer.state().status !== 'queued') return
    options.onWorking(live)
    live.working = work(live).then(
      () => {
        rest(live)
        kick(live) // a message may have come after the last look
      },
      (error: unknown) => {
        // Not kicked again: what made it fail would do so at once and without end. The next message tries again.
        logger.error({ sessionId: live.writer.sessionId, error }, 'session loop failed')
        rest(live)
      },
    )
  }

  function rest(live: LiveSession): void {
    live.working = null
    live.restingSince = performance.now()
    options.onRested(live).catch((error: unknown) => logger.error({ error }, 'session could not rest'))
  }

  async function work(live: LiveSession): Promise<void> {
    while (hasWork(live)) {
      live.place = await options.enterTurn(live, () => hasWork(live))
      if (live.place === null) return
      try {
        if (!(await workOnce(live))) return
      } finally {
        const { place } = live
        live.place = null
        live.restingSince = performance.now()
        place.leave()
      }
      await options.onTurnEnded(live)
    }
  }

  const hasWork = (live: LiveSession): boolean => {
    const { status, queued } = live.writer.state()
    const isHeld = status === 'stopped_budget' || status === 'paused' || isClosedStatus(status)
    return !isDraining() && !live.isDetaching && !isHeld && queued.length > 0
  }

  /** False when there was nothing to do after all. */
  async function workOnce(live: LiveSession): Promise<boolean> {
    const turnId = ids.next('trn') as TurnId // ids are made here, so the brand is too
    const abort = new AbortController()
    live.abort = abort
    try {
      const { thinking, ...terms } = await untilAnswered(live, () => money.beforeTurn(live.writer))
      let message: QueuedMessage | undefined
      const events = await untilWritten(live, () => {
        // Until this moment the first in line may be edited, taken back or overtaken.
        message = live.writer.state().queued[0]
        return { type: 'turn.start', turnId, ...terms }
      })
      if (message === undefined || !events.some((event) => event.type === 'TurnStarted')) {
        await untilAnswered(live, () => goOnIfLifted(options, live))
        return false
      }
      const ended = await takeTurn(live, { turnId, message, abort, choice: terms.choice, thinking })
      live.hasCrashed = ended.data.outcome === 'crashed'
      abort.abort() // whoever still waits for an answer in it hears none any more
      await finishTurn(live, turnId, ended)
      return true
    } finally {
      live.abort = null
      live.hasCrashed = false
    }
  }

  async function takeTurn(
    live: LiveSession,
    { turnId, message, abort, choice, thinking }: TurnToTake,
  ): Promise<EventDraft<'TurnEnded'>> {
    const { limits, durationMs } = live.writer.state()
    let isTimedOut = false
    const timer = startWorkTimer(limits.maxDurationMs - durationMs, () => {
      isTimedOut = true
      abort.abort()
    })
    live.timer = timer
    live.requests.clear()
    live.refusedKey = null
    const stuck = watchForStuck(live, abort, options.stopPatienceMs)
    let started: () => void = () => undefined
    try {
      if (live.backend !== null && live.backend.limits !== limits) await processes.closeForNext(live)
      const { session, subagents, isMetered, turnTimeoutMs } = await openFor(live, choice)
      if (turnTimeoutMs !== null) timer.limitTo(turnTimeoutMs)
      if (thinking !== undefined) await session.setThinking(thinking)
      money.beginComparing(live.writer)
      if (!isMetered) {
        const stop = await money.reserveTurn(live.writer, turnId, abort.signal)
        if (stop !== null) return failedTurn(stop.message)
      }
      started = await start(live, abort.signal)
      const { writer, tokens, changedInputs } = live
      const input = await turnInput(options.store, writer.sessionId, message)
      const facts = { turnId, input, messageId: message.messageId, writer, tokens, changedInputs, subagents, timer }
      const signs = { onEvent: listen(live, started), isTimedOut: () => isTimedOut, isStuck: () => stuck.isStuck }
      const bookReported = isMetered ? null : bookAndStop(live, abort)
      return await runTurn(session, { ...facts, ...signs, bookReported, signal: abort.signal, givenUp: stuck.givenUp })
    } catch (error) {
      if (!abort.signal.aborted || error !== abort.signal.reason) return await failTurn(live, turnId, error)
      await processes.close(live)
      return calledOffTurn({ timer, isTimedOut: () => isTimedOut, isStuck: () => stuck.isStuck })
    } finally {
      started()
      timer.stop()
      live.timer = null
      stuck.end()
      live.backend?.subagents.freeAll()
      live.changedInputs.clear()
      if (thinking !== undefined) await thinkAsUsual(live)
      // Not waited for: the next turn does, and this one is told to have failed now.
      if (stuck.givenUp.aborted) void processes.close(live)
    }
  }

  /** After a turn that thought more. A process that cannot be told is a dead one: the next has the session's own. */
  async function thinkAsUsual(live: LiveSession): Promise<void> {
    const { sessionId, state } = live.writer
    try {
      await live.backend?.session.setThinking(state().thinking)
    } catch (error) {
      logger.warn({ sessionId, error }, 'the agent process could not be told to think as usual')
    }
  }

  /** The process with the model that was chosen for this turn. One that is opened for it starts with it. */
  async function openFor(live: LiveSession, choice: TurnToTake['choice']): Promise<OpenBackend> {
    const backend = await processes.open(live)
    // One that was there before may have another; whichever is opened for this turn has the right one.
    if (choice !== undefined && backend.model() !== choice.model) await backend.session.setModel(choice.model)
    return backend
  }

  /** Nobody refuses the requests of a turn without a gateway: it is stopped when a limit is used up. */
  const bookAndStop = (live: LiveSession, abort: AbortController) => async (usage: EventDraft<'UsageRecorded'>) => {
    if ((await money.bookReported(live.writer, usage)) !== null) abort.abort()
  }

  /** Processes start one after the other; what it returns says that this one has. One that is interrupted never does. */
  async function start(live: LiveSession, signal: AbortSignal): Promise<() => void> {
    if (live.isStarted) return () => undefined
    const started = await options.starts.enter('awaited', signal)
    if (!signal.aborted) live.isStarted = true
    return started
  }

  function listen(live: LiveSession, started: () => void): (event: BackendEvent) => void {
    let isAnswering = false
    let isHeard = false
    return (event) => {
      if (!isHeard) void steerWaiting(live, logger) // what came for this turn while its process started
      isHeard = true
      live.quietMs = 0
      live.waitedMs = 0
      if (event.type === 'ToolExecuted' && event.data.withoutResult !== true) settleAnswers(live, event.data.toolUseId)
      // Told before there is a process.
      if (event.type !== 'SecurityNoticed' && event.type !== 'RawBackendMessage') started()
      if (isAnswering || (event.type !== 'AgentStreamToken' && event.type !== 'AgentThought')) return
      isAnswering = true
      options.onFirstToken(live)
    }
  }

  /** The process is in the middle of something nobody follows any more: it goes, and the next turn resumes it. */
  async function failTurn(live: LiveSession, turnId: TurnId, error: unknown): Promise<EventDraft<'TurnEnded'>> {
    const where = { sessionId: live.writer.sessionId, turnId }
    // An expected failure says all in its sentence, and whoever follows the session reads it there.
    if (isQuarterdeckError(error)) logger.info({ ...where, error: error.message }, 'turn could not run')
    else logger.error({ ...where, error }, 'turn could not run')
    await processes.close(live)
    // What has a code can be mended by whoever reads it; anything else is the backend's failure.
    const outcome = isQuarterdeckError(error) ? 'failed' : 'crashed'
    return failedTurn(error instanceof Error ? error.message : String(error), outcome)
  }

  async function finishTurn(live: LiveSession, turnId: TurnId, told: EventDraft<'TurnEnded'>): Promise<void> {
    // Before it is given up: what its process was opened with.
    const opened = live.backend?.limits
    const { ended, heldTo, ...terms } = await money.afterTurn(live.writer, turnId, await asRefusedKey(live, told))
    await live.steering
    const isGone = ended.data.outcome === 'crashed'
    if (isGone) {
      await processes.close(live)
      forgetHeard(live)
    }
    const keepsAsks = isGone || live.isDetaching
    const missed: Untold[] = []
    await untilWritten(live, () => {
      missed.push(...missedAnswers(live)) // told once, though it may take more than one attempt to write
      return { type: 'answer.miss', missed, keepsAsks }
    })
    const events = await untilWritten(live, {
      type: 'turn.end',
      ended,
      ...terms,
      heldTo: { ...opened, ...heldTo },
      keepsAsks,
      wakeMessageId: newMessageId(),
    })
    logger.info(turnLine(live.writer.state(), events), 'turn ended')
    if (live.writer.state().status === 'cancelling') await untilWritten(live, { type: 'session.confirm-cancel' })
    await untilAnswered(live, () => goOnIfLifted(options, live))
  }

  /** Trying again would not help, and the process may not say why it ended. */
  async function asRefusedKey(live: LiveSession, ended: EventDraft<'TurnEnded'>): Promise<EventDraft<'TurnEnded'>> {
    const { refusedKey } = live
    const { outcome } = ended.data
    if (refusedKey === null || (outcome !== 'interrupted' && outcome !== 'failed')) return ended
    const errorReason = `the provider refused the key (${refusedKey}): check ${await keyNameOf(live)}`
    const result = { ...ended.data.result, isError: true, errorReason }
    return { ...ended, data: { ...ended.data, outcome: 'failed', result } }
  }

  /** The turn has to end whatever has become of the agent's file. */
  async function keyNameOf(live: LiveSession): Promise<string> {
    const { sessionId, state } = live.writer
    try {
      return await options.keyVariableOf(state().agentName)
    } catch (error) {
      logger.warn({ sessionId, error }, 'the agent file does not tell which key was refused')
      return 'the key of this agent'
    }
  }

  /** Where a turn begins and ends must be in the log, or the session could never go on: a full disk is waited out. */
  const untilWritten = (live: LiveSession, command: Command | (() => Command)): Promise<readonly SessionEvent[]> =>
    untilAnswered(live, () => live.writer.apply(command))

  const untilAnswered = <Answer>(live: LiveSession, ask: () => Promise<Answer>): Promise<Answer> =>
    untilStored(ask, {
      isGivenUp: isDraining,
      onFailure: (error) =>
        logger.error({ sessionId: live.writer.sessionId, error }, 'the store does not answer: trying again'),
    })

  return { kick }
}

/** Lets the turn be ended as stuck: first it is asked, and after a while it is given up. */
function watchForStuck(live: LiveSession, abort: AbortController, stopPatienceMs: number) {
  const giveUp = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const stuck = {
    isStuck: false,
    givenUp: giveUp.signal,
    end() {
      clearTimeout(timer)
      live.stopStuck = null
    },
  }
  live.quietMs = 0
  live.waitedMs = 0
  live.stopStuck = () => {
    live.stopStuck = null
    stuck.isStuck = true
    abort.abort()
    timer = setTimeout(() => giveUp.abort(), stopPatienceMs)
  }
  return stuck
}
