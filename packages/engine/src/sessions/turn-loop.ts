// Takes the queued messages of a session, one turn each, until it rests.
import {
  type Command,
  type EventDraft,
  errorReasons,
  isClosedStatus,
  isQuarterdeckError,
  type SessionEvent,
  type TurnId,
  type UserMessageId,
} from '@quarterdeck/protocol'
import type { Ids } from '../store/event-store.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { LiveSession } from './live-session.ts'
import { failedTurn, runTurn } from './run-turn.ts'
import { turnLine } from './turn-line.ts'
import { startWorkTimer } from './work-timer.ts'

export interface TurnLoopOptions {
  readonly ids: Ids
  readonly logger: Logger
  /** Starts or resumes the agent's process for a session. */
  readonly openBackend: (live: LiveSession) => Promise<NonNullable<LiveSession['backend']>>
  readonly isDraining: () => boolean
  /** The loop is over for now. */
  readonly onRested: (live: LiveSession) => Promise<void>
}

/** Between two tries to write what the session cannot go on without. */
const retryMs = 1000

export function createTurnLoop(options: TurnLoopOptions) {
  const { ids, logger, isDraining } = options

  const newMessageId = () => ids.next('umsg') as UserMessageId // ids are made here, so the brand is too

  /** Starts on queued messages unless a turn runs already. */
  function kick(live: LiveSession): void {
    if (isDraining() || live.working !== null || live.writer.state().status !== 'queued') return
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
    while (!isDraining() && !isClosedStatus(live.writer.state().status)) {
      const message = live.writer.state().queued[0]
      if (message === undefined) return
      const turnId = ids.next('trn') as TurnId // ids are made here, so the brand is too
      const abort = new AbortController()
      live.abort = abort
      const events = await untilWritten(live, { type: 'turn.start', turnId })
      if (!events.some((event) => event.type === 'TurnStarted')) return
      const ended = await takeTurn(live, { turnId, input: message.content, abort })
      live.abort = null
      await finishTurn(live, ended)
    }
  }

  async function takeTurn(
    live: LiveSession,
    { turnId, input, abort }: { turnId: TurnId; input: string; abort: AbortController },
  ): Promise<EventDraft<'TurnEnded'>> {
    const { limits, durationMs } = live.writer.state()
    let isTimedOut = false
    const timer = startWorkTimer(limits.maxDurationMs - durationMs, () => {
      isTimedOut = true
      abort.abort()
    })
    live.timer = timer
    try {
      const { session, subagents, isMetered } = live.backend ?? (await open(live))
      const { writer, tokens } = live
      const turn = { turnId, input, writer, tokens, subagents, timer, isMetered, signal: abort.signal }
      return await runTurn(session, { ...turn, isTimedOut: () => isTimedOut })
    } catch (error) {
      return await failTurn(live, turnId, error)
    } finally {
      timer.stop()
      live.timer = null
      live.backend?.subagents.freeAll()
    }
  }

  async function open(live: LiveSession): Promise<NonNullable<LiveSession['backend']>> {
    const backend = await options.openBackend(live)
    live.backend = backend
    // A model chosen while it opened found no process to tell.
    await backend.session.setModel(live.writer.state().model)
    return backend
  }

  /** The process is in the middle of something nobody follows any more: it goes, and the next turn resumes it. */
  async function failTurn(live: LiveSession, turnId: TurnId, error: unknown): Promise<EventDraft<'TurnEnded'>> {
    logger.error({ sessionId: live.writer.sessionId, turnId, error }, 'turn could not run')
    await closeBackend(live)
    // What has a code can be mended by whoever reads it; anything else is the backend's failure.
    const outcome = isQuarterdeckError(error) ? 'failed' : 'crashed'
    return failedTurn(error instanceof Error ? error.message : String(error), outcome)
  }

  async function finishTurn(live: LiveSession, told: EventDraft<'TurnEnded'>): Promise<void> {
    const ended = asBudgetEnd(live, told)
    const isGone = ended.data.outcome === 'crashed'
    if (isGone) await closeBackend(live)
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
        if (isDraining() || isRefusal(error)) throw error
        const facts = { sessionId: live.writer.sessionId, command: command.type, error }
        logger.error(facts, 'the log cannot be written: trying again')
        await new Promise((resolve) => setTimeout(resolve, retryMs))
      }
    }
  }

  async function closeBackend(live: LiveSession): Promise<void> {
    const { backend } = live
    live.backend = null
    await backend?.session.close()
  }

  return { kick, closeBackend }
}

/** The session, or somebody else's writing to it, says no: asking again changes nothing. */
const isRefusal = (error: unknown): boolean =>
  isQuarterdeckError(error) && (error.code === 'store.conflict' || !error.code.startsWith('store.'))

/** A request refused for money fails like any other; the session knows better why. */
function asBudgetEnd(live: LiveSession, ended: EventDraft<'TurnEnded'>): EventDraft<'TurnEnded'> {
  const { costUsd, limits } = live.writer.state()
  if (ended.data.outcome !== 'failed' || costUsd < limits.maxBudgetUsd) return ended
  const result = { ...ended.data.result, isError: true, errorReason: errorReasons.budget }
  return { ...ended, data: { ...ended.data, outcome: 'budget_limit', result } }
}
