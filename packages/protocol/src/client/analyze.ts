// A question about tables, from its start to its answer: the caller's own functions are the tools.
import { AnalysisEvent, sessionExpired } from '../analyze/analysis-event.ts'
import type { AnalysisResult } from '../analyze/analysis-result.ts'
import type { AnalyzeBody, AnalyzedTable, AnalyzeStarted, ToolResultBody } from '../analyze/analyze-body.ts'
import { type ErrorCode, isQuarterdeckError, QuarterdeckError } from '../errors.ts'
import type { SessionId } from '../ids.ts'
import type { JsonObject } from '../json.ts'
import type { ModelTier } from '../models.ts'
import { type Backoff, createBackoff, wait } from './backoff.ts'
import { refusalOf } from './refusal.ts'
import { readSseFrames } from './sse-frames.ts'

/** What it gives is the result, any JSON; what it throws is an error that the model hears of. */
export type AnalysisTool = (input: JsonObject, call: { readonly id: string; readonly signal: AbortSignal }) => unknown

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
  readonly onEvent?: (event: AnalysisEvent) => void
  readonly backoff?: Backoff
  /** A connection that says nothing for so long is taken for dead. */
  readonly silenceMs?: number
}

export interface AnalysisConnection {
  start(body: AnalyzeBody, agent: string | undefined): Promise<AnalyzeStarted>
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
  const { tier, thinking, level, sessionId } = options
  const started = await connection.start(
    {
      question,
      ...(tables.length === 0 ? {} : { tables: [...tables] }),
      ...(tier === undefined ? {} : { tier }),
      ...(thinking === undefined ? {} : { thinking }),
      ...(level === undefined ? {} : { level }),
      ...(sessionId === undefined ? {} : { sessionId }),
    },
    options.agent,
  )
  // Ends the tools that still run when there is nobody to hear of them.
  const over = new AbortController()
  try {
    return await followAnalysis({ connection, options, started, signal: AbortSignal.any([signal, over.signal]) })
  } catch (error) {
    if (!signal.aborted) throw error
    await connection.cancel(started.sessionId).catch(() => undefined) // nobody is there to hear that it failed
    throw signal.reason
  } finally {
    over.abort()
  }
}

interface Following {
  readonly connection: AnalysisConnection
  readonly options: AnalyzeOptions
  readonly started: AnalyzeStarted
  readonly signal: AbortSignal
}

async function followAnalysis(following: Following): Promise<AnalysisResult> {
  const { connection, options, started, signal } = following
  const backoff = options.backoff ?? createBackoff()
  const heard: Heard = { lastId: null, calls: new Set(), result: null, failure: null, isDone: false }
  for (;;) {
    try {
      const response = await connection.open(started.streamUrl, heard.lastId, signal)
      await readConnection(following, response, { heard, onFrame: backoff.reset })
      if (heard.failure?.code === sessionExpired) {
        heard.failure = null
        await wake(following)
      }
    } catch (error) {
      if (signal.aborted || isQuarterdeckError(error)) throw error
    }
    signal.throwIfAborted()
    if (heard.isDone) return outcomeOf(heard)
    await wait(backoff.next(), signal)
  }
}

/** What was told so far, over all connections. */
interface Heard {
  lastId: string | null
  readonly calls: Set<string>
  result: AnalysisResult | null
  failure: Extract<AnalysisEvent, { type: 'error' }> | null
  isDone: boolean
}

interface Reading {
  readonly heard: Heard
  readonly onFrame: () => void
}

async function readConnection(following: Following, response: Response, { heard, onFrame }: Reading): Promise<void> {
  if (!response.ok) await refuse(response)
  // Nothing more comes: what is known is all there is.
  if (response.status === 204) heard.isDone = true
  if (response.body === null) return
  for await (const frame of readSseFrames(response.body, following.options.silenceMs ?? 45_000)) {
    onFrame()
    heard.lastId = frame.id ?? heard.lastId
    const event = AnalysisEvent.safeParse(parseJson(frame.data))
    if (event.success) hear(following, heard, event.data) // a newer server may tell of other things
    if (heard.isDone) return
  }
}

function hear(following: Following, heard: Heard, event: AnalysisEvent): void {
  if (event.type === 'tool_call') {
    if (heard.calls.has(event.id)) return
    heard.calls.add(event.id)
  }
  following.options.onEvent?.(event)
  if (event.type === 'tool_call' && event.answered !== true) void runTool(following, event)
  if (event.type === 'answer') heard.result = event.result
  if (event.type === 'error') heard.failure = event
  if (event.type === 'done') heard.isDone = true
}

async function runTool(
  following: Following,
  { id, name, input }: Extract<AnalysisEvent, { type: 'tool_call' }>,
): Promise<void> {
  const { connection, options, started, signal } = following
  const { sessionId, toolToken } = started
  const tool = Object.hasOwn(options.tools, name) ? options.tools[name] : undefined
  const given = await attempt(() => {
    if (tool === undefined) throw new Error(`there is no tool "${name}" here`)
    return tool(input, { id, signal })
  })
  const backoff = createBackoff()
  while (!signal.aborted) {
    try {
      await connection.giveBack({ sessionId, toolCallId: id, ...given }, toolToken, signal)
      return
    } catch (error) {
      // Anything but an outage is an answer: it has a result, it is gone, or the stream will say why.
      if (isQuarterdeckError(error) && !canBeGivenLater.includes(error.code)) return
      if (isQuarterdeckError(error, 'analysis.expired')) await wake(following).catch(() => undefined) // tried again
      await wait(backoff.next(), signal)
    }
  }
}

const canBeGivenLater: readonly ErrorCode[] = ['server.unreachable', 'request.rate-limited', 'analysis.expired']

async function attempt(run: () => unknown): Promise<Pick<ToolResultBody, 'result' | 'error'>> {
  try {
    return { result: (await run()) ?? null }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

/** Nobody was there for a while, this machine slept for example. What waits goes on waiting. */
const wake = ({ connection, started }: Following): Promise<unknown> =>
  connection.start({ sessionId: started.sessionId }, undefined)

function outcomeOf({ result, failure }: Heard): AnalysisResult {
  if (result !== null) return result
  const { message = 'the analysis ended without an answer', code, retryable } = failure ?? {}
  throw new QuarterdeckError('analysis.failed', message, { facts: { reason: code, retryable } })
}

/** A 4xx is an answer, not an outage. */
async function refuse(response: Response): Promise<never> {
  const isAnswer = response.status >= 400 && response.status < 500 && ![408, 425, 429].includes(response.status)
  if (!isAnswer) throw new Error(`the stream answered ${response.status}`)
  throw refusalOf(response.status, await response.json().catch(() => null))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // no event either
  }
}
