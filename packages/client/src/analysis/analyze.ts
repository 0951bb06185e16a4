// A question about tables, from its start to its answer. The caller's functions are the tools.
import {
  type AnalysisResult,
  type AnalyzeBody,
  type AnalyzedTable,
  type AnalyzeStarted,
  type ModelTier,
  neverAborted,
  type SessionId,
  unlessAborted,
} from '@quarterdeck/protocol'
import type { AnalysisConnection, FollowedAnalysisOptions } from './analysis-connection.ts'
import { followAnalysis } from './follow-analysis.ts'
import type { AnalysisTool } from './run-analysis-tool.ts'

/** Options of callers that run the tools. */
export interface AttendedAnalysisOptions extends FollowedAnalysisOptions {
  /** By the names that the model uses: `run_query`, `get_column_stats`, … Several may run at once. */
  readonly tools: Readonly<Record<string, AnalysisTool>>
  /** Aborting cancels the analysis. */
  readonly signal?: AbortSignal
  /** Aborting only detaches: waiting calls stay open, and `resumeAnalysis` continues them. */
  readonly leave?: AbortSignal
}

export interface AnalyzeOptions extends AttendedAnalysisOptions {
  readonly tier?: ModelTier
  readonly thinking?: boolean
  /** How much of the data may reach the model, 0 to 3. */
  readonly level?: number
  /** The agent that answers, if the server has several. */
  readonly agent?: string
  /** The session of an earlier question that this one continues. */
  readonly sessionId?: string
  /** Makes the question idempotent: the same key, tables and text start it only once. */
  readonly key?: string
  /** Called when the server has the question. */
  readonly onStart?: (started: Pick<AnalyzeStarted, 'sessionId'>) => void
}

export interface AskedAnalysis {
  readonly question: string
  readonly tables: readonly AnalyzedTable[]
}

/** Rejects with `analysis.failed` if there is no answer, with the server's refusal, or with a signal's reason. */
export async function analyze(
  connection: AnalysisConnection,
  { question, tables }: AskedAnalysis,
  options: AnalyzeOptions,
): Promise<AnalysisResult> {
  const signal = options.signal ?? neverAborted()
  signal.throwIfAborted()
  options.leave?.throwIfAborted()
  const started = await startAnalysis(connection, bodyOf(question, tables, options), { ...options, signal })
  options.onStart?.({ sessionId: started.sessionId })
  return attendAnalysis(connection, { ...started, after: null }, options)
}

/** Follows to the end and runs the tools. `signal` cancels the analysis, `leave` only detaches. */
export async function attendAnalysis(
  connection: AnalysisConnection,
  started: AnalyzeStarted & { readonly after: string | null },
  options: AttendedAnalysisOptions,
): Promise<AnalysisResult> {
  // Aborts running tools when their results are no longer wanted.
  const over = new AbortController()
  const { signal, leave } = options
  const given = AbortSignal.any([over.signal, signal, leave].filter((one) => one !== undefined))
  try {
    return await followAnalysis({ connection, options, started, signal: given, giveUp: (why) => over.abort(why) })
  } catch (error) {
    if (!given.aborted) throw error
    const isLeft = leave?.aborted === true && signal?.aborted !== true
    if (!isLeft) await connection.cancel(started.sessionId).catch(() => undefined) // best effort: the caller has already got its error
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
  tier,
  thinking,
  level,
  sessionId: sessionId as SessionId | undefined, // the server checks it
})

/** An aborted start is still cancelled: the dropped request may have started an analysis. */
async function startAnalysis(
  connection: AnalysisConnection,
  body: AnalyzeBody,
  { agent, key, signal }: { readonly agent?: string; readonly key?: string; readonly signal: AbortSignal },
): Promise<AnalyzeStarted> {
  const starting = connection.start(body, { agent, key })
  try {
    return await unlessAborted(starting, signal)
  } catch (error) {
    const cancel = ({ sessionId }: AnalyzeStarted) => connection.cancel(sessionId)
    if (signal.aborted) void starting.then(cancel).catch(() => undefined) // best effort: the caller has already got its error
    throw error
  }
}
