import { z } from 'zod'

export const SessionStatus = z.enum([
  'queued',
  'running',
  'waiting_approval',
  'waiting_user',
  'waiting_client',
  'idle',
  'interrupting',
  'interrupted',
  'pausing',
  'paused',
  'resuming',
  'cancelling',
  'cancelled',
  'context_exhausted',
  'completed',
  'failed',
  'stopped_budget',
  'stopped_turns',
])
export type SessionStatus = z.infer<typeof SessionStatus>

const closed: ReadonlySet<SessionStatus> = new Set(['completed', 'cancelled'])
const busy: ReadonlySet<SessionStatus> = new Set([
  'running',
  'waiting_approval',
  'waiting_user',
  'waiting_client',
  'interrupting',
  'pausing',
  'resuming',
  'cancelling',
])

/** Closed permanently: accepts no further messages. */
export const isClosedStatus = (status: SessionStatus): boolean => closed.has(status)
/** A turn is running, or waits for a person or a client. */
export const isBusyStatus = (status: SessionStatus): boolean => busy.has(status)

/** Queued or busy. Every other session is at rest: nothing more happens by itself. */
export const unfinishedStatuses: readonly SessionStatus[] = ['queued', ...busy]
export const isUnfinishedStatus = (status: SessionStatus): boolean => status === 'queued' || busy.has(status)
