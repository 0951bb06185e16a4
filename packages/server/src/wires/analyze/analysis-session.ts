// An analysis is a session with the browser as the client of its tools.
import type { SessionService } from '@quarterdeck/engine'
import {
  analysisTools,
  finalAnswerTool,
  isUnfinishedStatus,
  type Principal,
  QuarterdeckError,
  type SessionId,
  type SessionState,
  type SessionStatus,
} from '@quarterdeck/protocol'

/** The client that declares the tools: for the browser and for the server itself. */
export const analysisClient = { clientId: 'analysis', tools: [...analysisTools] }

export const analysisTag = 'analysis'

/** The server itself, with permissions that the readers of an analysis may not have. */
export const analysisPrincipal: Principal = {
  name: 'analysis',
  owner: 'analysis',
  scope: 'admin',
  requestsPerMinute: null,
}

/** Throws `session.not-found` even for an existing session, if it is not an analysis. */
export async function readAnalysis(sessions: SessionService, sessionId: SessionId): Promise<SessionState> {
  const { session } = await sessions.getSession(sessionId)
  if (session.allowedTools?.includes(finalAnswerTool) === true) return session
  throw new QuarterdeckError('session.not-found', `${sessionId} is not an analysis: start one without a sessionId`)
}

/** No client was connected: its calls wait for a client that returns. */
export const isParked = ({ clients }: SessionState): boolean =>
  !clients.some(({ clientId }) => clientId === analysisClient.clientId)

/** Nothing more happens to the question by itself. */
export const isAtRest = (status: SessionStatus): boolean => !isUnfinishedStatus(status)
