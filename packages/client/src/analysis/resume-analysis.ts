// An analysis that is there already: whoever comes back to it goes on with its tools, whoever only watches does not.
import type { AnalysisResult, AnalyzeStarted, SessionId } from '@quarterdeck/protocol'
import { analyzeRoutes } from '@quarterdeck/protocol'
import { createBackoff, wait } from '../http/backoff.ts'
import { isOutage } from '../http/is-outage.ts'
import type { AnalysisConnection, FollowedAnalysisOptions } from './analysis-connection.ts'
import { type AttendedAnalysisOptions, attendAnalysis } from './analyze.ts'
import { followAnalysis } from './follow-analysis.ts'

interface FromCursor {
  /** The cursor of an event: what is told begins behind it. Without one it begins with the latest question. */
  readonly after?: string
}

export type ResumeAnalysisOptions = AttendedAnalysisOptions & FromCursor

export interface WatchAnalysisOptions extends FollowedAnalysisOptions, FromCursor {
  /** Aborting only ends the watching. */
  readonly signal?: AbortSignal
}

/**
 * Comes back to the latest question: wakes the analysis where it was parked or cut off, runs the calls that still wait,
 * and tells what happened before from its start. Through an outage too: waking twice is waking once.
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

/** The same as it is told to everybody: no call is run, nothing is woken, and leaving changes nothing. */
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

/** No `after`: the server finds where the latest question began. */
const streamOf = (sessionId: SessionId): string => `${analyzeRoutes.stream.path}?sessionId=${sessionId}`

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
    await wait(backoff.next(), signal)
  }
}
