import { isBusyStatus, isClosedStatus, isOutOfOwnMoney, isOutOfTime, type SessionState } from '@quarterdeck/protocol'

/** Whether there is something to go on with. Without money or time there is not: its limit has to be raised first. */
export function canResume(session: SessionState): boolean {
  const { status, wasCutOff, queued } = session
  if (status === 'paused' || status === 'interrupted') return true
  if (isBusyStatus(status) || isClosedStatus(status) || status === 'queued') return false
  if (status === 'failed' && isOutOfTime(session)) return false
  return !isOutOfOwnMoney(session) && (wasCutOff || queued.length > 0)
}
