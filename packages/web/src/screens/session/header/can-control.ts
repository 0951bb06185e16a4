import {
  isBusyStatus,
  isClosedStatus,
  isOutOfOwnMoney,
  isOutOfTime,
  type SessionState,
  type SessionStatus,
} from '@quarterdeck/protocol'

/** Whether there is work to resume. When the session's budget or time is used up, its limit must be raised first. */
export function canResume(session: SessionState): boolean {
  const { status, wasCutOff, queued } = session
  if (status === 'paused' || status === 'interrupted') return true
  if (isBusyStatus(status) || isClosedStatus(status) || status === 'queued') return false
  if (status === 'failed' && isOutOfTime(session)) return false
  return !isOutOfOwnMoney(session) && (wasCutOff || queued.length > 0)
}

const pausable: ReadonlySet<SessionStatus> = new Set([
  'queued',
  'running',
  'waiting_approval',
  'waiting_user',
  'waiting_client',
])

/** A pause needs a turn that runs, or one that is queued. */
export const canPause = ({ status, turn }: SessionState): boolean =>
  pausable.has(status) && (turn !== null || status === 'queued')
