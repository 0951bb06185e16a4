import type { SessionStatus } from '@quarterdeck/protocol'

/** The display name of each state. */
export const stateLabels: Readonly<Record<SessionStatus, string>> = {
  queued: 'Queued',
  running: 'Running',
  waiting_approval: 'Needs approval',
  waiting_user: 'Has a question',
  waiting_client: 'Waiting for your browser',
  idle: 'Ready',
  interrupting: 'Interrupting…',
  interrupted: 'Interrupted',
  pausing: 'Pausing…',
  paused: 'Paused',
  resuming: 'Resuming…',
  cancelling: 'Cancelling…',
  cancelled: 'Cancelled',
  context_exhausted: 'Out of context',
  completed: 'Done',
  failed: 'Failed',
  stopped_budget: 'Out of budget',
  stopped_turns: 'Out of turns',
}
