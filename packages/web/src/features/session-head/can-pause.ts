import { isBusyStatus, isClosedStatus, type SessionState, type SessionStatus } from '@quarterdeck/protocol'

const pausable: ReadonlySet<SessionStatus> = new Set([
  'queued',
  'running',
  'waiting_approval',
  'waiting_user',
  'waiting_client',
])

/** Whether a pause would hold anything: something runs, or waits to. */
export const canPause = ({ status, turn }: SessionState): boolean =>
  pausable.has(status) && (turn !== null || status === 'queued')

/** Whether there is something to go on with. Without money there is not: its limit has to be raised first. */
export function canResume({ status, wasCutOff, queued, costUsd, limits }: SessionState): boolean {
  if (status === 'paused' || status === 'interrupted') return true
  if (isBusyStatus(status) || isClosedStatus(status) || status === 'queued') return false
  if (status === 'stopped_budget' && costUsd >= limits.maxBudgetUsd) return false
  return wasCutOff || queued.length > 0
}
