// Whether a session can be resumed: paused, interrupted, or stopped with work left.
import { isBusyStatus, isClosedStatus } from '../../values/session-status.ts'
import { openAsks } from './ask.ts'
import { isOutOfOwnMoney, isOutOfTime, type SessionState } from './session-state.ts'

/** Raising the limit resumes a session that its own budget or its working time stopped. */
export type ResumeObstacle = 'continuing' | 'open-asks' | 'out-of-time' | 'out-of-money' | 'no-work'

/** Why the session cannot be resumed, or `null` if it can. */
export function resumeObstacle(session: SessionState): ResumeObstacle | null {
  const { status, turn, queued, wasCutOff } = session
  const hasWork = wasCutOff || queued.length > 0
  if (status === 'paused' || status === 'interrupted') {
    const startsTurn = openAsks(session).length === 0 && (hasWork || status === 'interrupted')
    return startsTurn ? spentLimit(session) : null
  }
  if (isClosedStatus(status)) return 'no-work'
  if (turn !== null || status === 'queued') return 'continuing'
  if (openAsks(session).length > 0) return 'open-asks'
  if (isBusyStatus(status)) return 'continuing'
  if (status === 'failed' && isOutOfTime(session)) return 'out-of-time'
  if (isOutOfOwnMoney(session)) return 'out-of-money'
  return hasWork ? null : 'no-work'
}

/** A limit at which the turn would end at once. */
function spentLimit(session: SessionState): ResumeObstacle | null {
  if (isOutOfTime(session)) return 'out-of-time'
  return session.costUsd >= session.limits.maxBudgetUsd ? 'out-of-money' : null
}
