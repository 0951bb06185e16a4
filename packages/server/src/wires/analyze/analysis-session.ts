// An analysis is a session like any other, with the browser as the client of its tools.
import type { SessionService } from '@quarterdeck/engine'
import {
  analysisTools,
  finalAnswerTool,
  type Principal,
  QuarterdeckError,
  type SessionId,
  type SessionState,
  type SessionStatus,
} from '@quarterdeck/protocol'

/** The client in whose name the tools are declared: the browser's, whichever it is, and the server's own. */
export const analysisClient = { clientId: 'analysis', tools: [...analysisTools] }

export const analysisTag = 'analysis'

/** The server itself, which does for an analysis what not everybody may who reads it or asks. */
export const analysisPrincipal: Principal = {
  name: 'analysis',
  owner: 'analysis',
  scope: 'admin',
  requestsPerMinute: null,
}

/** Throws `session.not-found` also for a session that is none of an analysis. */
export async function readAnalysis(sessions: SessionService, sessionId: SessionId): Promise<SessionState> {
  const { session } = await sessions.snapshot(sessionId)
  if (session.allowedTools?.includes(finalAnswerTool) === true) return session
  throw new QuarterdeckError('session.not-found', `${sessionId} is no analysis: start one without a sessionId`)
}

/** Nobody was there for it: its calls wait for a client that comes back. */
export const isParked = ({ clients }: SessionState): boolean =>
  !clients.some(({ clientId }) => clientId === analysisClient.clientId)

export const activeStatuses: ReadonlySet<SessionStatus> = new Set([
  ...(['queued', 'running', 'waiting_approval', 'waiting_user', 'waiting_client'] as const),
  ...(['interrupting', 'pausing', 'resuming', 'cancelling'] as const),
])

/** Nothing more happens to the question unless somebody does something. */
export const isAtRest = (status: SessionStatus): boolean => !activeStatuses.has(status)
