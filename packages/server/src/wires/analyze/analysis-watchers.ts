// Somebody has to be there while an analysis runs: to take its last word, which the server runs as a tool itself, and to
// notice that nobody listens any more.
import type { EventSink, Logger, SessionService } from '@quarterdeck/engine'
import { finalAnswerTool, type SessionId, type StreamedEvent } from '@quarterdeck/protocol'
import type { WireDeps } from '../wire.ts'
import { analysisClient, isAtRest, isParked, readAnalysis } from './analysis-session.ts'
import { concludeAnalysis } from './conclude-analysis.ts'
import { createReaderTracker, type ReaderTracker } from './reader-tracker.ts'
import { retryUntilDone } from './retry-until-done.ts'

export interface AnalysisWatchersOptions {
  /** Of the whole house: whoever reads may do less than has to be done. */
  readonly sessions: SessionService
  /** How long an open call waits without a reader before the analysis is parked. */
  readonly expiryMs: number
  /** Ends them all: the server goes. */
  readonly closing: AbortSignal
  readonly background: WireDeps['background']
  readonly logger: Logger
}

export type AnalysisWatcher = Pick<ReaderTracker, 'listen' | 'isRead'>

export interface AnalysisWatchers {
  /** One for each analysis, until its question is at rest. */
  watch(sessionId: SessionId): AnalysisWatcher
  /** Whether somebody reads it right now. */
  isRead(sessionId: SessionId): boolean
}

export function createAnalysisWatchers(options: AnalysisWatchersOptions): AnalysisWatchers {
  const present = new Map<SessionId, AnalysisWatcher>()
  return {
    watch(sessionId) {
      const known = present.get(sessionId)
      if (known !== undefined) return known
      const watcher = createAnalysisWatcher(options, { sessionId, onEnd: () => present.delete(sessionId) })
      present.set(sessionId, watcher)
      return watcher
    },
    isRead: (sessionId) => present.get(sessionId)?.isRead() ?? false,
  }
}

interface WatchedAnalysis {
  readonly sessionId: SessionId
  readonly onEnd: () => void
}

function createAnalysisWatcher(options: AnalysisWatchersOptions, watched: WatchedAnalysis): AnalysisWatcher {
  const { sessions, expiryMs, closing, background, logger } = options
  const { sessionId, onEnd } = watched
  const ended = new AbortController()
  const onFailure = (error: unknown) => logger.error({ sessionId, error }, 'an analysis could not be attended to')
  const retry = (work: () => Promise<void>) =>
    background.track(retryUntilDone(work, { signal: ended.signal, onFailure }))
  const readers = createReaderTracker(expiryMs, () => retry(park))

  function end(): void {
    if (ended.signal.aborted) return
    readers.end()
    closing.removeEventListener('abort', end)
    ended.abort()
    onEnd()
  }

  /** Only while nothing but a client is waited for: a model that works goes on to its next call, or to its end. */
  async function park(): Promise<void> {
    const session = await readAnalysis(sessions, sessionId)
    if (readers.isRead() || ended.signal.aborted) return
    if (isAtRest(session.status) || isParked(session)) return end()
    if (session.status !== 'waiting_client') return
    await sessions.detachClient(sessionId, analysisClient.clientId, 'clock')
    end()
  }

  /** The event may be of a while ago: by now there may be a further question. */
  async function endAtRest(): Promise<void> {
    if (isAtRest((await readAnalysis(sessions, sessionId)).status)) end()
  }

  function receive(event: StreamedEvent): void {
    if (event.type === 'ClientToolCalled' && event.data.toolName === finalAnswerTool) {
      retry(() => concludeAnalysis(sessions, sessionId, event.data))
    }
    if (event.type !== 'AgentSessionStatusChanged') return
    if (isAtRest(event.data.to)) retry(endAtRest)
    else if (readers.isOverdue()) retry(park)
  }

  async function follow(): Promise<void> {
    const session = await readAnalysis(sessions, sessionId)
    if (isAtRest(session.status) || isParked(session)) return end()
    for (const call of session.clientCalls) {
      if (call.toolName === finalAnswerTool) retry(() => concludeAnalysis(sessions, sessionId, call))
    }
    await sessions.feed({ sessionId, after: session.seq, signal: ended.signal }, sinkOf(receive))
  }

  closing.addEventListener('abort', end)
  if (closing.aborted) end()
  background.track(retryUntilDone(follow, { signal: ended.signal, onFailure }).finally(end))
  return readers
}

const sinkOf = (receive: (event: StreamedEvent) => void): EventSink => ({
  take(events) {
    for (const event of events) receive(event)
    return true
  },
  drained: async () => undefined,
})
