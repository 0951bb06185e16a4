// Follows the stream of an analysis to its end, through lost connections, server restarts and suspended pages.

import type { AnalysisResult, SessionId } from '@quarterdeck/protocol'
import { AnalysisEvent, parseJson, QuarterdeckError, sessionExpired, sleep } from '@quarterdeck/protocol'
import { createBackoff } from '../http/backoff.ts'
import { defaultSilenceMs } from '../http/connection-silence.ts'
import { isOutage, refuseStream } from '../http/refusal.ts'
import { readSseFrames } from '../streaming/sse-frames.ts'
import type { AnalysisConnection, FollowedAnalysisOptions } from './analysis-connection.ts'
import { type AnalysisTool, type CalledTool, runAnalysisTool } from './run-analysis-tool.ts'

export interface Following {
  readonly connection: AnalysisConnection
  readonly options: FollowedAnalysisOptions & {
    /** Without tools the caller only watches: it runs no calls and wakes nothing. */
    readonly tools?: Readonly<Record<string, AnalysisTool>>
  }
  readonly started: {
    readonly sessionId: SessionId
    readonly streamUrl: string
    /** The cursor of the last event that the caller has. */
    readonly after: string | null
    /** Only for callers that run the tools. */
    readonly toolToken?: string
  }
  readonly signal: AbortSignal
  /** Ends the following with an error of the caller. */
  readonly giveUp: (why: unknown) => void
}

export async function followAnalysis(following: Following): Promise<AnalysisResult> {
  const { connection, options, started, signal } = following
  const backoff = options.backoff ?? createBackoff()
  const progress: AnalysisProgress = {
    lastId: started.after,
    calls: new Set(),
    atWork: new Set(),
    result: null,
    failure: null,
    isParked: false,
    isDone: false,
  }
  for (;;) {
    try {
      if (progress.isParked && options.tools !== undefined) await unpark(following, progress)
      const response = await connection.open(started.streamUrl, progress.lastId, signal)
      await readConnection(following, response, { progress, onFrame: backoff.reset })
    } catch (error) {
      if (signal.aborted || !isOutage(error)) throw error
    }
    signal.throwIfAborted()
    if (progress.isDone) return outcomeOf(progress)
    await sleep(backoff.next(), signal)
  }
}

async function unpark(following: Following, progress: AnalysisProgress): Promise<void> {
  await wake(following)
  progress.isParked = false
  progress.failure = null
}

/** The events received so far, over all connections. */
interface AnalysisProgress {
  lastId: string | null
  /** Calls that were reported to the caller. */
  readonly calls: Set<string>
  /** Calls that run or have a result. They are not run again when they are sent again. */
  readonly atWork: Set<string>
  result: AnalysisResult | null
  failure: Extract<AnalysisEvent, { type: 'error' }> | null
  /** No client ran the tools for too long. A caller that only watches waits until another client wakes it. */
  isParked: boolean
  isDone: boolean
}

interface Reading {
  readonly progress: AnalysisProgress
  readonly onFrame: () => void
}

async function readConnection(following: Following, response: Response, { progress, onFrame }: Reading): Promise<void> {
  if (!response.ok) await refuseStream(response)
  // There are no further events: the state is final.
  if (response.status === 204) progress.isDone = !progress.isParked
  if (response.body === null) return
  for await (const frame of readSseFrames(response.body, following.options.silenceMs ?? defaultSilenceMs)) {
    onFrame()
    progress.lastId = frame.id ?? progress.lastId
    const event = AnalysisEvent.safeParse(parseJson(frame.data))
    if (event.success) receive(following, progress, { event: event.data, cursor: frame.id ?? null }) // newer servers may send unknown events
    following.signal.throwIfAborted()
    if (progress.isDone) return
  }
}

interface ReceivedEvent {
  readonly event: AnalysisEvent
  readonly cursor: string | null
}

function receive(following: Following, progress: AnalysisProgress, received: ReceivedEvent): void {
  const { event } = received
  if (event.type === 'answer') progress.result = event.result
  if (event.type === 'error') progress.failure = event
  if (event.type === 'done') progress.isDone = true
  if (event.type !== 'session') progress.isParked = event.type === 'error' && event.code === sessionExpired
  const isKnown = event.type === 'tool_call' && progress.calls.has(event.id)
  if (event.type === 'tool_call') progress.calls.add(event.id)
  if (!isKnown) notifyCaller(following, received)
  if (following.signal.aborted) return
  if (event.type === 'tool_call' && event.answered !== true) void runTool(following, progress, event)
}

/** An error of the caller's listener is permanent: a new connection would not help. */
function notifyCaller({ options, giveUp }: Following, { event, cursor }: ReceivedEvent): void {
  try {
    options.onEvent?.(event, cursor)
  } catch (error) {
    giveUp(error)
  }
}

async function runTool(following: Following, { atWork }: AnalysisProgress, call: CalledTool): Promise<void> {
  const { connection, options, started, signal } = following
  const { sessionId, toolToken = '' } = started
  if (options.tools === undefined || atWork.has(call.id)) return
  atWork.add(call.id)
  const isSettled = await runAnalysisTool(
    {
      tools: options.tools,
      signal,
      backoff: createBackoff(),
      returnResult: (given) => connection.returnResult({ sessionId, toolCallId: call.id, ...given }, toolToken, signal),
      wake: () => wake(following),
    },
    call,
  )
  if (!isSettled) atWork.delete(call.id)
}

/** Needed after this client was away for a while, for example while the machine slept. Waiting calls stay open. */
const wake = ({ connection, started, signal }: Following): Promise<unknown> =>
  connection.start({ sessionId: started.sessionId }, { signal })

function outcomeOf({ result, failure }: AnalysisProgress): AnalysisResult {
  if (result !== null) return result
  const { message = 'the analysis ended without an answer', code, retryable } = failure ?? {}
  throw new QuarterdeckError('analysis.failed', message, { facts: { reason: code, retryable } })
}
