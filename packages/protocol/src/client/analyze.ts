// A question about tables, from its start to its answer: the caller's own functions are the tools.
import { AnalysisEvent, sessionExpired } from '../analyze/analysis-event.ts'
import type { AnalysisResult } from '../analyze/analysis-result.ts'
import type { AnalyzeBody, AnalyzedTable, AnalyzeStarted, ToolResultBody } from '../analyze/analyze-body.ts'
import { QuarterdeckError } from '../errors.ts'
import type { SessionId } from '../ids.ts'
import type { ModelTier } from '../models.ts'
import { parseJson } from '../parse-json.ts'
import { type Backoff, createBackoff, unlessAborted, wait } from './backoff.ts'
import { isOutage } from './is-outage.ts'
import { refuseStream } from './refusal.ts'
import { type AnalysisTool, type CalledTool, runAnalysisTool } from './run-analysis-tool.ts'
import { readSseFrames } from './sse-frames.ts'

export interface AnalyzeOptions {
  readonly tier?: ModelTier
  readonly thinking?: boolean
  /** What of the data may reach the model, 0 to 3. */
  readonly level?: number
  /** Which agent answers, where the server has several. */
  readonly agent?: string
  /** Of an earlier question: this one goes on from it. */
  readonly sessionId?: SessionId
  /** By the names the model calls them: `run_query`, `get_column_stats`, … Several may run at once. */
  readonly tools: Readonly<Record<string, AnalysisTool>>
  /** Aborting cancels the analysis. */
  readonly signal?: AbortSignal
  /** What it throws cancels the analysis, and is what `analyze()` rejects with. */
  readonly onEvent?: (event: AnalysisEvent) => void
  readonly backoff?: Backoff
  /** A connection that says nothing for so long is taken for dead. */
  readonly silenceMs?: number
}

export interface AnalysisConnection {
  start(body: AnalyzeBody, options: { readonly agent?: string; readonly signal?: AbortSignal }): Promise<AnalyzeStarted>
  open(streamUrl: string, lastEventId: string | null, signal: AbortSignal): Promise<Response>
  giveBack(body: ToolResultBody, toolToken: string, signal: AbortSignal): Promise<unknown>
  cancel(sessionId: SessionId): Promise<unknown>
}

export interface AskedAnalysis {
  readonly question: string
  readonly tables: readonly AnalyzedTable[]
}

/** Rejects with `analysis.failed` where there is no answer, with what the server refuses, or with the signal's reason. */
export async function analyze(
  connection: AnalysisConnection,
  { question, tables }: AskedAnalysis,
  options: AnalyzeOptions,
): Promise<AnalysisResult> {
  const signal = options.signal ?? new AbortController().signal
  signal.throwIfAborted()
  const started = await startAnalysis(connection, bodyOf(question, tables, options), { agent: options.agent, signal })
  // Ends the tools that still run when there is nobody to hear of them.
  const over = new AbortController()
  const given = AbortSignal.any([signal, over.signal])
  try {
    return await followAnalysis({ connection, options, started, signal: given, giveUp: (why) => over.abort(why) })
  } catch (error) {
    if (!given.aborted) throw error
    await connection.cancel(started.sessionId).catch(() => undefined) // nobody is there to hear that it failed
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
  { agent, signal }: { readonly agent: string | undefined; readonly signal: AbortSignal },
): Promise<AnalyzeStarted> {
  const starting = connection.start(body, agent === undefined ? {} : { agent })
  try {
    return await unlessAborted(starting, signal)
  } catch (error) {
    const cancel = ({ sessionId }: AnalyzeStarted) => connection.cancel(sessionId)
    if (signal.aborted) void starting.then(cancel).catch(() => undefined) // nobody is there to hear that it failed
    throw error
  }
}

interface Following {
  readonly connection: AnalysisConnection
  readonly options: AnalyzeOptions
  readonly started: AnalyzeStarted
  readonly signal: AbortSignal
  /** The caller cannot hear any more of it. */
  readonly giveUp: (why: unknown) => void
}

async function followAnalysis(following: Following): Promise<AnalysisResult> {
  const { connection, options, started, signal } = following
  const backoff = options.backoff ?? createBackoff()
  const heard: Heard = { lastId: null, calls: new Set(), atWork: new Set(), result: null, failure: null, isDone: false }
  for (;;) {
    try {
      if (heard.failure?.code === sessionExpired) {
        await wake(following)
        heard.failure = null
      }
      const response = await connection.open(started.streamUrl, heard.lastId, signal)
      await readConnection(following, response, { heard, onFrame: backoff.reset })
    } catch (error) {
      if (signal.aborted || !isOutage(error)) throw error
    }
    signal.throwIfAborted()
    if (heard.isDone) return outcomeOf(heard)
    await wait(backoff.next(), signal)
  }
}

/** What was told so far, over all connections. */
interface Heard {
  lastId: string | null
  /** Those that the caller knows of. */
  readonly calls: Set<string>
  /** Those that run, or have their result: they are not run again when they are sent again. */
  readonly atWork: Set<string>
  result: AnalysisResult | null
  failure: Extract<AnalysisEvent, { type: 'error' }> | null
  isDone: boolean
}

interface Reading {
  readonly heard: Heard
  readonly onFrame: () => void
}

async function readConnection(following: Following, response: Response, { heard, onFrame }: Reading): Promise<void> {
  if (!response.ok) await refuseStream(response)
  // Nothing more comes: what is known is all there is.
  if (response.status === 204) heard.isDone = true
  if (response.body === null) return
  for await (const frame of readSseFrames(response.body, following.options.silenceMs ?? 45_000)) {
    onFrame()
    heard.lastId = frame.id ?? heard.lastId
    const event = AnalysisEvent.safeParse(parseJson(frame.data))
    if (event.success) hear(following, heard, event.data) // a newer server may tell of other things
    following.signal.throwIfAborted()
    if (heard.isDone) return
  }
}

function hear(following: Following, heard: Heard, event: AnalysisEvent): void {
  if (event.type === 'answer') heard.result = event.result
  if (event.type === 'error') heard.failure = event
  if (event.type === 'done') heard.isDone = true
  const isKnown = event.type === 'tool_call' && heard.calls.has(event.id)
  if (event.type === 'tool_call') heard.calls.add(event.id)
  if (!isKnown) tell(following, event)
  if (following.signal.aborted) return
  if (event.type === 'tool_call' && event.answered !== true) void runTool(following, heard, event)
}

/** What the caller's own function throws is the caller's: no other connection mends it. */
function tell({ options, giveUp }: Following, event: AnalysisEvent): void {
  try {
    options.onEvent?.(event)
  } catch (error) {
    giveUp(error)
  }
}

async function runTool(following: Following, { atWork }: Heard, call: CalledTool): Promise<void> {
  if (atWork.has(call.id)) return
  atWork.add(call.id)
  const { connection, options, started, signal } = following
  const { sessionId, toolToken } = started
  const isSettled = await runAnalysisTool(
    {
      ...{ tools: options.tools, signal, backoff: createBackoff() },
      giveBack: (given) => connection.giveBack({ sessionId, toolCallId: call.id, ...given }, toolToken, signal),
      wake: () => wake(following),
    },
    call,
  )
  if (!isSettled) atWork.delete(call.id)
}

/** Nobody was there for a while, this machine slept for example. What waits goes on waiting. */
const wake = ({ connection, started, signal }: Following): Promise<unknown> =>
  connection.start({ sessionId: started.sessionId }, { signal })

function outcomeOf({ result, failure }: Heard): AnalysisResult {
  if (result !== null) return result
  const { message = 'the analysis ended without an answer', code, retryable } = failure ?? {}
  throw new QuarterdeckError('analysis.failed', message, { facts: { reason: code, retryable } })
}
