import type { SessionService } from '../sessions/session-service.ts'

/** What evaluations need of the sessions: they drive them as any client would. */
export type EvalSessions = Pick<
  SessionService,
  'create' | 'send' | 'interrupt' | 'cancel' | 'close' | 'snapshot' | 'follow'
>
