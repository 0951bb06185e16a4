// A question about tables, from its start to its answer: the caller's own functions are the tools.
import type {
  AnalysisResult,
  AnalyzeBody,
  AnalyzedTable,
  AnalyzeStarted,
  ModelTier,
  SessionId,
} from '@quarterdeck/protocol'
import { unlessAborted } from '../http/backoff.ts'
import type { AnalysisConnection, FollowedAnalysisOptions } from './analysis-connection.ts'
import { followAnalysis } from './follow-analysis.ts'
import type { AnalysisTool } from './run-analysis-tool.ts'

/** What whoever runs the tools gives. */
export interface AttendedAnalysisOptions extends FollowedAnalysisOptions {
  /** By the names the model calls them: `run_query`, `get_column_stats`, … Several may run at once. */
  readonly tools: Readonly<Record<string, AnalysisTool>>
  /** Aborting cancels the analysis. */
  readonly signal?: AbortSignal
  /** Aborting only leaves: what waits goes on waiting, and `resumeAnalysis` comes back to it. */
  readonly leave?: AbortSignal
}

export interface AnalyzeOptions extends AttendedAnalysisOptions {
  readonly tier?: ModelTier
  readonly thinking?: boolean
  /** What of the data may reach the model, 0 to 3. */
  readonly level?: number
  /** Which agent answers, where the server has several. */
  readonly agent?: string
  /** Of an earlier question: this one goes on from it. */
  readonly sessionId?: SessionId
  /** Names this question: asked again with the same key, tables and words it is the same one. */
  readonly key?: string
  /** The server has the question. */
  readonly onStart?: (started: Pick<AnalyzeStarted, 'sessionId'>) => void
}

export interface AskedAnalysis {
  readonly question: string
  readonly tables: readonly AnalyzedTable[]
}

/** Rejects with `analysis.failed` where there is no answer, with what the server refuses, or with a signal's reason. */
export async function analyze(
  connection: AnalysisConnection,
  { question, tables }: AskedAnalysis,
  options: AnalyzeOptions,
): Promise<AnalysisResult> {
  const signal = options.signal ?? new AbortController().signal
  signal.throwIfAborted()
  options.leave?.throwIfAborted()
  const started = await startAnalysis(connection, bodyOf(question, tables, options), { ...options, signal })
  options.onStart?.({ sessionId: started.sessionId })
  return attendAnalysis(connection, { ...started, after: null }, options)
}

/** Follows to the end and runs the tools; aborted it cancels, or leaves. */
export async function attendAnalysis(
  connection: AnalysisConnection,
  started: AnalyzeStarted & { readonly after: string | null },
  options: AttendedAnalysisOptions,
): Promise<AnalysisResult> {
  // Ends the tools that still run when there is nobody to hear of them.
  const over = new AbortController()
  const { signal, leave } = options
  const given = AbortSignal.any([
    over.signal,
    ...(signal === undefined ? [] : [signal]),
    ...(leave === undefined ? [] : [leave]),
  ])
  try {
    return await followAnalysis({ connection, options, started, signal: given, giveUp: (why) => over.abort(why) })
  } catch (error) {
    if (!given.aborted) throw error
    const isLeft = leave?.aborted === true && signal?.aborted !== true
    if (!isLeft) await connection.cancel(started.sessionId).catch(() => undefined) // nobody is there to hear that it failed
    throw given.reason
  } finally {
    over.abort()
  }
}

const bodyOf = (
  question: string,
  tables: readonly AnalyzedTable[],
  { tier, thinking, level, sessionId }: AnalyzeOptions,
): AnalyzeBody => ({
  question,
  ...(tables.length === 0 ? {} : { tables: [...tables] }),
  ...(tier === undefined ? {} : { tier }),
  ...(thinking === undefined ? {} : { thinking }),
  ...(level === undefined ? {} : { level }),
  ...(sessionId === undefined ? {} : { sessionId }),
})

/** Given up in the middle of it, it is still cancelled: a request that is dropped may have started an analysis. */
async function startAnalysis(
  connection: AnalysisConnection,
  body: AnalyzeBody,
  { agent, key, signal }: { readonly agent?: string; readonly key?: string; readonly signal: AbortSignal },
): Promise<AnalyzeStarted> {
  const starting = connection.start(body, {
    ...(agent === undefined ? {} : { agent }),
    ...(key === undefined ? {} : { key }),
  })
  try {
    return await unlessAborted(starting, signal)
  } catch (error) {
    const cancel = ({ sessionId }: AnalyzeStarted) => connection.cancel(sessionId)
    if (signal.aborted) void starting.then(cancel).catch(() => undefined) // nobody is there to hear that it failed
    throw error
  }
}
