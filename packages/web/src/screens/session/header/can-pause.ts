import type { SessionState, SessionStatus } from '@quarterdeck/protocol'

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
