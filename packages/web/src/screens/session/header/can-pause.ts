import type { SessionState, SessionStatus } from '@quarterdeck/protocol'

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
