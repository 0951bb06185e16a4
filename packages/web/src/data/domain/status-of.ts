import type { SessionStatus } from '@quarterdeck/protocol'
import type { RunPrompt, RunState } from './analysis.ts'

const statuses = {
  running: 'running',
  waiting: 'waiting_user',
  done: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
} as const satisfies Record<RunState, SessionStatus>

/** The session status that a question is shown with. `ask`: the kind of its open prompt, if any. */
export const statusOf = (state: RunState, ask: RunPrompt['kind'] | null | undefined): SessionStatus =>
  state === 'waiting' && ask === 'rows' ? 'waiting_approval' : statuses[state]
