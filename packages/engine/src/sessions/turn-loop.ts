// Takes the queued messages of a session, one turn each, until it rests.
import {
  type Command,
  type EventDraft,
  errorReasons,
  isClosedStatus,
  isQuarterdeckError,
  type QueuedMessage,
  type SessionEvent,
  type TurnId,
  type UserMessageId,
} from '@quarterdeck/protocol'
import type { BackendEvent } from '../backends/backend.ts'
import type { AgentProcesses } from '../processes/agent-processes.ts'
import type { StartLine } from '../processes/start-line.ts'
import type { TurnPlace } from '../processes/turn-place.ts'
import type { Ids } from '../store/event-store.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { LiveSession } from './live-session.ts'
import { failedTurn, runTurn } from './run-turn.ts'
import { turnLine } from './turn-line.ts'
import { startWorkTimer } from './work-timer.ts'

export interface TurnLoopOptions {
  readonly ids: Ids
  readonly logger: Logger
  readonly processes: AgentProcesses
  readonly starts: StartLine
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

/** Between two tries to write what the session cannot go on without. */
const retryMs = 1000
/** What a stuck turn may take to end before its process is given up. */
const stuckPatienceMs = 15_000

export function createTurnLoop(options: TurnLoopOptions) {
  const { ids, logger, isDraining, processes } = options

  const newMessageId = () => ids.next('umsg') as UserMessageId // ids are made here, so the brand is too

  /** Starts on queued messages unless a turn runs already. */
  function kick(live: LiveSession): void {
    if (isDraining() || live.working !== null || live.writer.state().status !== 'queued') return
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
    return !isDraining() && !live.isDetaching && !isClosedStatus(status) && queued.length > 0
  }

  /** False when there was nothing to do after all. */
  async function workOnce(live: LiveSession): Promise<boolean> {
    const turnId = ids.next('trn') as TurnId // ids are made here, so the brand is too
    const abort = new AbortController()
    live.abort = abort
    try {
      // What is first may have changed while the session stood in line.
      const message = live.writer.state().queued[0]
      const events = await untilWritten(live, { type: 'turn.start', turnId })
      if (message === undefined || !events.some((event) => event.type === 'TurnStarted')) return false
      const ended = await takeTurn(live, { turnId, message, abort })
      await finishTurn(live, ended)
      return true
    } finally {
      live.abort = null
    }
  }

  async function takeTurn(
    live: LiveSession,
    { turnId, message, abort }: { turnId: TurnId; message: QueuedMessage; abort: AbortController },
  ): Promise<EventDraft<'TurnEnded'>> {
    const { limits, durationMs } = live.writer.state()
    let isTimedOut = false
    const timer = startWorkTimer(limits.maxDurationMs - durationMs, () => {
      isTimedOut = true
      abort.abort()
    })
    live.timer = timer
    live.requests.clear()
    const stuck = watchForStuck(live, abort)
    let started: () => void = () => undefined
    try {
      const { session, subagents, isMetered } = await processes.open(live)
      started = await start(live)
      const { writer, tokens } = live
      const facts = { turnId, input: message.content, messageId: message.messageId, writer, tokens, subagents, timer }
      const signs = { onEvent: listen(live, started), isTimedOut: () => isTimedOut, isStuck: () => stuck.isStuck }
      return await runTurn(session, { ...facts, ...signs, isMetered, signal: abort.signal, givenUp: stuck.givenUp })
    } catch (error) {
      return await failTurn(live, turnId, error)
    } finally {
      started()
      timer.stop()
      live.timer = null
      stuck.end()
      live.backend?.subagents.freeAll()
      if (stuck.givenUp.aborted) await processes.close(live)
    }
  }

  /** Processes start one after the other; what it returns says that this one has. */
  async function start(live: LiveSession): Promise<() => void> {
    if (live.isStarted) return () => undefined
    const started = await options.starts.enter('awaited')
    live.isStarted = true
    return started
  }

  function listen(live: LiveSession, started: () => void): (event: BackendEvent) => void {
    let isAnswering = false
    return (event) => {
      live.quietMs = 0
      live.waitedMs = 0
      // Told before there is a process.
      if (event.type !== 'SecurityNoticed' && event.type !== 'RawBackendMessage') started()
      if (isAnswering || (event.type !== 'AgentStreamToken' && event.type !== 'AgentThought')) return
      isAnswering = true
      options.onFirstToken(live)
    }
  }

  /** The process is in the middle of something nobody follows any more: it goes, and the next turn resumes it. */
  async function failTurn(live: LiveSession, turnId: TurnId, error: unknown): Promise<EventDraft<'TurnEnded'>> {
    logger.error({ sessionId: live.writer.sessionId, turnId, error }, 'turn could not run')
    await processes.close(live)
    // What has a code can be mended by whoever reads it; anything else is the backend's failure.
    const outcome = isQuarterdeckError(error) ? 'failed' : 'crashed'
    return failedTurn(error instanceof Error ? error.message : String(error), outcome)
  }

  async function finishTurn(live: LiveSession, told: EventDraft<'TurnEnded'>): Promise<void> {
    const ended = asBudgetEnd(live, told)
    const isGone = ended.data.outcome === 'crashed'
    if (isGone) await processes.close(live)
    const keepsApprovals = isGone || live.isDetaching
    const events = await untilWritten(live, { type: 'turn.end', ended, keepsApprovals, wakeMessageId: newMessageId() })
    logger.info(turnLine(live.writer.state(), events), 'turn ended')
    if (live.writer.state().status === 'cancelling') await untilWritten(live, { type: 'session.confirm-cancel' })
  }

  /** Where a turn begins and ends must be in the log, or the session could never go on: a full disk is waited out. */
  async function untilWritten(live: LiveSession, command: Command): Promise<readonly SessionEvent[]> {
    for (;;) {
      try {
        return await live.writer.apply(command)
      } catch (error) {
        if (isDraining() || !isQuarterdeckError(error, 'store.unavailable')) throw error
        const facts = { sessionId: live.writer.sessionId, command: command.type, error }
        logger.error(facts, 'the log cannot be written: trying again')
        await new Promise((resolve) => setTimeout(resolve, retryMs))
      }
    }
  }

  return { kick }
}

/** Lets the turn be ended as stuck: first it is asked, and after a while it is given up. */
function watchForStuck(live: LiveSession, abort: AbortController) {
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
    timer = setTimeout(() => giveUp.abort(), stuckPatienceMs)
  }
  return stuck
}

/** A request refused for money fails like any other; the session knows better why. */
function asBudgetEnd(live: LiveSession, ended: EventDraft<'TurnEnded'>): EventDraft<'TurnEnded'> {
  const { costUsd, limits } = live.writer.state()
  if (ended.data.outcome !== 'failed' || costUsd < limits.maxBudgetUsd) return ended
  const result = { ...ended.data.result, isError: true, errorReason: errorReasons.budget }
  return { ...ended, data: { ...ended.data, outcome: 'budget_limit', result } }
}
