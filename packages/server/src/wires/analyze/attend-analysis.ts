// Somebody has to be there while an analysis runs: to take its last word, which the server runs as a tool itself, and to
// notice that nobody listens any more.
import type { EventSink, Logger, SessionService } from '@quarterdeck/engine'
import { finalAnswerTool, type SessionId, type StreamedEvent } from '@quarterdeck/protocol'
import type { WireDeps } from '../wire.ts'
import { analysisClient, isAtRest, isParked, readAnalysis } from './analysis-session.ts'
import { type Audience, createAudience } from './audience.ts'
import { concludeAnalysis } from './conclude-analysis.ts'
import { persist } from './persist.ts'

export interface AttendantsOptions {
  /** Of the whole house: whoever reads may do less than has to be done. */
  readonly sessions: SessionService
  /** How long an open call waits without a reader before the analysis is parked. */
  readonly expiryMs: number
  /** Ends them all: the server goes. */
  readonly closing: AbortSignal
  readonly background: WireDeps['background']
  readonly logger: Logger
}

export type Attendant = Pick<Audience, 'listen' | 'isRead'>

export interface Attendants {
  /** One for each analysis, until its question is at rest. */
  attend(sessionId: SessionId): Attendant
  /** Whether somebody reads it right now. */
  isRead(sessionId: SessionId): boolean
}

export function createAttendants(options: AttendantsOptions): Attendants {
  const present = new Map<SessionId, Attendant>()
  return {
    attend(sessionId) {
      const known = present.get(sessionId)
      if (known !== undefined) return known
      const attendant = createAttendant(options, { sessionId, onEnd: () => present.delete(sessionId) })
      present.set(sessionId, attendant)
      return attendant
    },
    isRead: (sessionId) => present.get(sessionId)?.isRead() ?? false,
  }
}

interface Attended {
  readonly sessionId: SessionId
  readonly onEnd: () => void
}

function createAttendant(options: AttendantsOptions, attended: Attended): Attendant {
  const { sessions, expiryMs, closing, background, logger } = options
  const { sessionId, onEnd } = attended
  const ended = new AbortController()
  const onFailure = (error: unknown) => logger.error({ sessionId, error }, 'an analysis could not be attended to')
  const see = (work: () => Promise<void>) => background.track(persist(work, { signal: ended.signal, onFailure }))
  const audience = createAudience(expiryMs, () => see(park))

  function end(): void {
    if (ended.signal.aborted) return
    audience.end()
    closing.removeEventListener('abort', end)
    ended.abort()
    onEnd()
  }

  /** Only while nothing but a client is waited for: a model that works goes on to its next call, or to its end. */
  async function park(): Promise<void> {
    const session = await readAnalysis(sessions, sessionId)
    if (audience.isRead() || ended.signal.aborted) return
    if (isAtRest(session.status) || isParked(session)) return end()
    if (session.status !== 'waiting_client') return
    await sessions.detachClient(sessionId, analysisClient.clientId, 'clock')
    end()
  }

  /** The event may be of a while ago: by now there may be a further question. */
  async function endAtRest(): Promise<void> {
    if (isAtRest((await readAnalysis(sessions, sessionId)).status)) end()
  }

  function hear(event: StreamedEvent): void {
    if (event.type === 'ClientToolCalled' && event.data.toolName === finalAnswerTool) {
      see(() => concludeAnalysis(sessions, sessionId, event.data))
    }
    if (event.type !== 'AgentSessionStatusChanged') return
    if (isAtRest(event.data.to)) see(endAtRest)
    else if (audience.isOverdue()) see(park)
  }

  async function follow(): Promise<void> {
    const session = await readAnalysis(sessions, sessionId)
    if (isAtRest(session.status) || isParked(session)) return end()
    for (const call of session.clientCalls) {
      if (call.toolName === finalAnswerTool) see(() => concludeAnalysis(sessions, sessionId, call))
    }
    await sessions.feed({ sessionId, after: session.seq, signal: ended.signal }, sinkOf(hear))
  }

  closing.addEventListener('abort', end)
  if (closing.aborted) end()
  background.track(persist(follow, { signal: ended.signal, onFailure }).finally(end))
  return audience
}

const sinkOf = (hear: (event: StreamedEvent) => void): EventSink => ({
  take(events) {
    for (const event of events) hear(event)
    return true
  },
  room: async () => undefined,
})
