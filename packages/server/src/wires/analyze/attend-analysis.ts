// Somebody has to be there while an analysis runs: to take its last word, which the server runs as a tool itself, and to
// notice that nobody listens any more.
import type { EventSink, Logger, SessionService } from '@quarterdeck/engine'
import {
  type ClientCallId,
  FinalAnswer,
  finalAnswerTool,
  isQuarterdeckError,
  type JsonObject,
  type ReturnClientCallBody,
  type SessionId,
  type StreamedEvent,
} from '@quarterdeck/protocol'
import { analysisClient, isAtRest, isParked, readAnalysis } from './analysis-session.ts'

export interface AttendantsOptions {
  /** How long an open call waits without a reader before the analysis is parked. */
  readonly expiryMs: number
  /** Ends them all: the server goes. */
  readonly closing: AbortSignal
  readonly logger: Logger
}

export interface Attendant {
  /** Somebody reads; returns how they leave. */
  listen(): () => void
  isRead(): boolean
}

export interface Attendants {
  /** One for each analysis, until its question is at rest. */
  attend(sessions: SessionService, sessionId: SessionId): Attendant
  /** Whether somebody reads it right now. */
  isRead(sessionId: SessionId): boolean
}

export function createAttendants(options: AttendantsOptions): Attendants {
  const present = new Map<SessionId, Attendant>()
  return {
    attend(sessions, sessionId) {
      const known = present.get(sessionId)
      if (known !== undefined) return known
      const attendant = createAttendant(options, { sessions, sessionId, onEnd: () => present.delete(sessionId) })
      present.set(sessionId, attendant)
      return attendant
    },
    isRead: (sessionId) => present.get(sessionId)?.isRead() ?? false,
  }
}

interface Attended {
  readonly sessions: SessionService
  readonly sessionId: SessionId
  readonly onEnd: () => void
}

/** In whose name the server itself does something. */
const byServer = 'analysis'

function createAttendant({ expiryMs, closing, logger }: AttendantsOptions, attended: Attended): Attendant {
  const { sessions, sessionId, onEnd } = attended
  const ended = new AbortController()
  let listeners = 0
  let timer: NodeJS.Timeout | undefined
  let isOverdue = false

  function end(): void {
    if (ended.signal.aborted) return
    clearTimeout(timer)
    closing.removeEventListener('abort', end)
    ended.abort()
    onEnd()
  }

  function waitForReaders(): void {
    timer = setTimeout(() => {
      isOverdue = true
      void unlessItFails(park)
    }, expiryMs)
    timer.unref()
  }

  /** Only while nothing but a client is waited for: a model that works goes on to its next call, or to its end. */
  async function park(): Promise<void> {
    const session = await readAnalysis(sessions, sessionId)
    if (listeners > 0 || ended.signal.aborted) return
    if (isAtRest(session.status) || isParked(session)) return end()
    if (session.status !== 'waiting_client') return
    await sessions.detachClient(sessionId, analysisClient.clientId, 'clock')
    end()
  }

  async function conclude(callId: ClientCallId, input: JsonObject): Promise<void> {
    const { calls } = await sessions.clientCalls(sessionId)
    const others = calls.filter(({ toolName }) => toolName !== finalAnswerTool)
    const body = others.length > 0 ? stillOpen(others.map(({ toolName }) => toolName)) : verdictOn(input)
    await sessions.returnClientCall(callId, body, byServer)
  }

  /** The event may be of a while ago: by now there may be a further question. */
  async function endAtRest(): Promise<void> {
    if (isAtRest((await readAnalysis(sessions, sessionId)).status)) end()
  }

  function hear(event: StreamedEvent): void {
    if (event.type === 'ClientToolCalled' && event.data.toolName === finalAnswerTool) {
      const { callId, toolInput } = event.data
      void unlessItFails(() => conclude(callId, toolInput))
    }
    if (event.type !== 'AgentSessionStatusChanged') return
    if (isAtRest(event.data.to)) void unlessItFails(endAtRest)
    else if (isOverdue) void unlessItFails(park)
  }

  const sink: EventSink = {
    take(events) {
      for (const event of events) hear(event)
      return true
    },
    room: async () => undefined,
  }

  async function follow(): Promise<void> {
    const session = await readAnalysis(sessions, sessionId)
    if (isAtRest(session.status) || isParked(session)) return end()
    for (const { callId, toolName, toolInput } of session.clientCalls) {
      if (toolName === finalAnswerTool) await unlessItFails(() => conclude(callId, toolInput))
    }
    await sessions.feed({ sessionId, after: session.seq, signal: ended.signal }, sink)
  }

  /** Somebody else may have been faster, and a session can be gone: neither is a failure of this one. */
  async function unlessItFails(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (isQuarterdeckError(error) && error.code !== 'internal') return
      logger.error({ sessionId, error }, 'an analysis could not be attended to')
    }
  }

  closing.addEventListener('abort', end)
  waitForReaders()
  void unlessItFails(follow).finally(end)
  return {
    isRead: () => listeners > 0,
    listen() {
      listeners += 1
      isOverdue = false
      clearTimeout(timer)
      let isThere = true
      return () => {
        if (!isThere) return
        isThere = false
        listeners -= 1
        if (listeners === 0 && !ended.signal.aborted) waitForReaders()
      }
    },
  }
}

function verdictOn(input: JsonObject): ReturnClientCallBody {
  const answer = FinalAnswer.safeParse(input)
  if (answer.success) return { output: 'The answer is with the person.' }
  const issues = answer.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  return { output: `${finalAnswerTool} was not taken: ${issues.join('; ')}. Call it again.`, isError: true }
}

const stillOpen = (names: readonly string[]): ReturnClientCallBody => ({
  output: `${finalAnswerTool} was not taken: ${names.join(', ')} still runs. Wait for the results, then call it alone.`,
  isError: true,
})
