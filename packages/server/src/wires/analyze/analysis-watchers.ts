// Watches running analyses: accepts the final answer, which the server executes as a tool, and parks an analysis
// without readers.
import type { EventSink, Logger, SessionService } from '@quarterdeck/engine'
import {
  backoffDelay,
  type ErrorCode,
  finalAnswerTool,
  isQuarterdeckError,
  type SessionId,
  type StreamedEvent,
  sleep,
  unfinishedStatuses,
} from '@quarterdeck/protocol'
import type { WireDeps } from '../wire.ts'
import { analysisClient, analysisTag, isAtRest, isParked, readAnalysis } from './analysis-session.ts'
import { concludeAnalysis } from './conclude-analysis.ts'
import { createReaderTracker, type ReaderTracker } from './reader-tracker.ts'

export interface AnalysisWatchersOptions {
  /** With full permissions: readers may have fewer. */
  readonly sessions: SessionService
  /** How long an open call waits without a reader before the analysis is parked. */
  readonly expiryMs: number
  /** Ends all watchers when the server stops. */
  readonly closing: AbortSignal
  readonly background: WireDeps['background']
  readonly logger: Logger
}

export type AnalysisWatcher = Pick<ReaderTracker, 'listen' | 'isRead'>

export interface AnalysisWatchers {
  /** One per analysis, until its question is finished. */
  watch(sessionId: SessionId): AnalysisWatcher
  /** Whether it has a reader right now. */
  isRead(sessionId: SessionId): boolean
}

/** Also watches the analyses that an earlier process left unfinished. */
export function openAnalysisWatchers(options: AnalysisWatchersOptions): AnalysisWatchers {
  const { closing, background, logger } = options
  const watchers = createAnalysisWatchers(options)
  const onFailure = (error: unknown) => logger.error({ error }, 'unfinished analyses could not be listed')
  background.track(retryUntilDone(() => watchOpenAnalyses(watchers, options), { signal: closing, onFailure }))
  return watchers
}

async function watchOpenAnalyses(watchers: AnalysisWatchers, options: AnalysisWatchersOptions): Promise<void> {
  const { sessions, closing } = options
  for (const status of unfinishedStatuses) {
    for (let cursor: string | null | undefined; cursor !== null && !closing.aborted; ) {
      const asked = { tag: analysisTag, status, archived: 'all', limit: 200 } as const
      const page = await sessions.listSessions({ ...asked, ...(cursor === undefined ? {} : { cursor }) })
      for (const { sessionId } of page.sessions) watchers.watch(sessionId)
      cursor = page.nextCursor
    }
  }
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
  const onFailure = (error: unknown) => logger.error({ sessionId, error }, 'an analysis could not be watched')
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

  /** Only while it waits for a client: a working model continues to its next call or its end. */
  async function park(): Promise<void> {
    const session = await readAnalysis(sessions, sessionId)
    if (readers.isRead() || ended.signal.aborted) return
    if (isAtRest(session.status) || isParked(session)) return end()
    if (session.status !== 'waiting_client') return
    await sessions.detachClient(sessionId, analysisClient.clientId, 'clock')
    end()
  }

  /** The event may be old: there may be a further question by now. */
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

interface RetryUntilDoneOptions {
  /** Aborts when the work is no longer needed. */
  readonly signal: AbortSignal
  readonly onFailure: (error: unknown) => void
}

const backoff = { firstMs: 250, longestMs: 15_000 }

/** Retries until the work is done or its object is gone; reports every other failure. */
async function retryUntilDone(work: () => Promise<void>, { signal, onFailure }: RetryUntilDoneOptions): Promise<void> {
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (isQuarterdeckError(error) && finalCodes.has(error.code)) return
      onFailure(error)
    }
    await sleep(backoffDelay(attempt, backoff), signal)
  }
}

/** Done elsewhere, held by another process, or gone with its turn or session. */
const finalCodes: ReadonlySet<ErrorCode> = new Set([
  ...(['client-call.already-returned', 'client-call.not-found'] as const),
  ...(['session.not-found', 'session.closed', 'session.busy', 'session.held-elsewhere'] as const),
])
