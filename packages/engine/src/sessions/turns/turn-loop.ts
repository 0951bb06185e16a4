// Runs the queued messages of a session, one turn each, until it rests.
import type { QueuedMessage } from '@quarterdeck/protocol'
import type { SessionSpending } from '../../money/session-spending.ts'
import type { AgentProcesses } from '../launch/agent-processes.ts'
import { isHeld } from '../rules/status-drafts.ts'
import { untilStoreResponds, untilWritten } from '../state/retry-until-stored.ts'
import type { RunningSession } from '../state/running-session.ts'
import { recordTurnEnd, type TurnEndOptions } from './record-turn-end.ts'
import { resumeIfLifted } from './resume-funded-sessions.ts'
import { type TakeTurnOptions, takeTurn } from './take-turn.ts'

export interface TurnLoopOptions extends TakeTurnOptions, TurnEndOptions {
  readonly money: SessionSpending
  readonly processes: AgentProcesses
  /** The loop starts. */
  readonly onWorking: (running: RunningSession) => void
  /** A turn has ended and its process is still there. */
  readonly onTurnEnded: (running: RunningSession) => Promise<void>
  /** The loop has ended for now. */
  readonly onRested: (running: RunningSession) => Promise<void>
}

export function createTurnLoop(options: TurnLoopOptions) {
  const { ids, logger, draining, processes, money } = options

  /** Starts on queued messages unless a turn runs already. */
  function kick(running: RunningSession): void {
    const { phase, writer } = running
    if (draining.aborted || phase.isLost() || !phase.isResting() || writer.state().status !== 'queued') return
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
    const isStopped = isHeld(status) || status === 'stopped_budget'
    return !draining.aborted && !running.phase.isDetaching() && !isStopped && queued.length > 0
  }

  /** False if there was nothing to do. */
  async function workOnce(running: RunningSession, abort: AbortController): Promise<boolean> {
    const turnId = ids.next('trn')
    const { thinking, ...terms } = await untilStoreResponds(options, running, () => money.beforeTurn(running.writer))
    let message: QueuedMessage | undefined
    const events = await untilWritten(options, running, () => {
      // Until now the first message may be edited, cancelled or overtaken.
      message = running.writer.state().queued[0]
      return { type: 'turn.start', turnId, ...terms }
    })
    if (message === undefined || !events.some((event) => event.type === 'TurnStarted')) {
      await untilStoreResponds(options, running, () => resumeIfLifted(options, running))
      return false
    }
    const ended = await takeTurn(options, running, { turnId, message, abort, choice: terms.choice, thinking })
    if (ended.data.outcome === 'crashed') running.phase.markCrashed()
    abort.abort() // pending waits of the turn get no answer any more
    await recordTurnEnd(options, running, { turnId, reported: ended })
    return true
  }

  return { kick }
}
