// Whether a session can be resumed: paused, interrupted, or stopped with work left.
import { isBusyStatus, isClosedStatus } from '../../values/session-status.ts'
import { openAsks } from './ask.ts'
import { isOutOfOwnMoney, isOutOfTime, type SessionState } from './session-state.ts'

/** Raising the limit resumes a session that its own budget or its working time stopped. */
export type ResumeObstacle = 'continuing' | 'open-asks' | 'out-of-time' | 'out-of-money' | 'no-work'

/** Why the session cannot be resumed, or `null` if it can. */
export function resumeObstacle(session: SessionState): ResumeObstacle | null {
  const { status, turn, queued, wasCutOff } = session
  if (status === 'paused' || status === 'interrupted') return null
  if (isClosedStatus(status)) return 'no-work'
  if (turn !== null || status === 'queued') return 'continuing'
  if (openAsks(session).length > 0) return 'open-asks'
  if (isBusyStatus(status)) return 'continuing'
  if (status === 'failed' && isOutOfTime(session)) return 'out-of-time'
  if (isOutOfOwnMoney(session)) return 'out-of-money'
  return wasCutOff || queued.length > 0 ? null : 'no-work'
}
