// Connects to an existing analysis, either to continue its tools or only to watch.

import type { AnalysisResult, AnalyzeStarted, SessionId } from '@quarterdeck/protocol'
import { analysisOperations, sleep } from '@quarterdeck/protocol'
import { createBackoff } from '../http/backoff.ts'
import { isOutage } from '../http/refusal.ts'
import type { AnalysisConnection, FollowedAnalysisOptions } from './analysis-connection.ts'
import { type AttendedAnalysisOptions, attendAnalysis } from './analyze.ts'
import { followAnalysis } from './follow-analysis.ts'

interface FromCursor {
  /** The cursor of an event: reporting begins behind it. Without one it begins with the latest question. */
  readonly after?: string
}

export type ResumeAnalysisOptions = AttendedAnalysisOptions & FromCursor

export interface WatchAnalysisOptions extends FollowedAnalysisOptions, FromCursor {
  /** Aborting only stops watching. */
  readonly signal?: AbortSignal
}

/**
 * Resumes the latest question: wakes a parked or interrupted analysis, runs the calls that still wait, and reports
 * events from its start. It retries through outages, because waking twice has no further effect.
 */
export async function resumeAnalysis(
  connection: AnalysisConnection,
  sessionId: SessionId,
  options: ResumeAnalysisOptions,
): Promise<AnalysisResult> {
  const { signal, leave, after = null } = options
  const given = AbortSignal.any([signal, leave].filter((one) => one !== undefined))
  const started = await wakePersistently(connection, sessionId, { ...options, signal: given })
  return attendAnalysis(connection, { ...started, streamUrl: streamOf(sessionId), after }, options)
}

/** Reports the same events, but runs no calls and wakes nothing. Aborting changes nothing. */
export async function watchAnalysis(
  connection: AnalysisConnection,
  sessionId: SessionId,
  { after, signal, ...options }: WatchAnalysisOptions = {},
): Promise<AnalysisResult> {
  const over = new AbortController()
  const given = AbortSignal.any([over.signal, ...(signal === undefined ? [] : [signal])])
  const started = { sessionId, streamUrl: streamOf(sessionId), after: after ?? null }
  try {
    return await followAnalysis({ connection, options, started, signal: given, giveUp: (why) => over.abort(why) })
  } catch (error) {
    throw given.aborted ? given.reason : error
  }
}

/** Without `after`, the server finds the start of the latest question. */
const streamOf = (sessionId: SessionId): string => `${analysisOperations.streamAnalysis.path}?sessionId=${sessionId}`

interface Waking extends FollowedAnalysisOptions {
  readonly signal: AbortSignal
}

async function wakePersistently(
  connection: AnalysisConnection,
  sessionId: SessionId,
  { signal, backoff = createBackoff() }: Waking,
): Promise<AnalyzeStarted> {
  for (;;) {
    signal.throwIfAborted()
    try {
      return await connection.start({ sessionId }, { signal })
    } catch (error) {
      if (signal.aborted || !isOutage(error)) throw error
    }
    await sleep(backoff.next(), signal)
  }
}
