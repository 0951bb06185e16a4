// The stream of an analysis to its end, through lost connections, servers that restart and pages that slept.
import { AnalysisEvent, sessionExpired } from '../analyze/analysis-event.ts'
import type { AnalysisResult } from '../analyze/analysis-result.ts'
import { QuarterdeckError } from '../errors.ts'
import type { SessionId } from '../ids.ts'
import { parseJson } from '../parse-json.ts'
import type { AnalysisConnection, FollowedAnalysisOptions } from './analysis-connection.ts'
import { createBackoff, wait } from './backoff.ts'
import { isOutage } from './is-outage.ts'
import { refuseStream } from './refusal.ts'
import { type AnalysisTool, type CalledTool, runAnalysisTool } from './run-analysis-tool.ts'
import { readSseFrames } from './sse-frames.ts'

export interface Following {
  readonly connection: AnalysisConnection
  readonly options: FollowedAnalysisOptions & {
    /** Left out by whoever only watches: no call is run, and nothing is woken. */
    readonly tools?: Readonly<Record<string, AnalysisTool>>
  }
  readonly started: {
    readonly sessionId: SessionId
    readonly streamUrl: string
    /** What the caller has already. */
    readonly after: string | null
    /** Of whoever runs the tools. */
    readonly toolToken?: string
  }
  readonly signal: AbortSignal
  /** The caller cannot hear any more of it. */
  readonly giveUp: (why: unknown) => void
}

export async function followAnalysis(following: Following): Promise<AnalysisResult> {
  const { connection, options, started, signal } = following
  const backoff = options.backoff ?? createBackoff()
  const heard: Heard = { ...nothingHeard(), lastId: started.after }
  for (;;) {
    try {
      if (heard.isParked && options.tools !== undefined) await unpark(following, heard)
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

async function unpark(following: Following, heard: Heard): Promise<void> {
  await wake(following)
  heard.isParked = false
  heard.failure = null
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
  /** Nobody ran its tools for too long. Whoever only watches waits for somebody who wakes it. */
  isParked: boolean
  isDone: boolean
}

const nothingHeard = (): Omit<Heard, 'lastId'> => ({
  ...{
    calls: new Set<string>(),
    atWork: new Set<string>(),
    result: null,
    failure: null,
    isParked: false,
    isDone: false,
  },
})

interface Reading {
  readonly heard: Heard
  readonly onFrame: () => void
}

async function readConnection(following: Following, response: Response, { heard, onFrame }: Reading): Promise<void> {
  if (!response.ok) await refuseStream(response)
  // Nothing more comes: what is known is all there is.
  if (response.status === 204) heard.isDone = !heard.isParked
  if (response.body === null) return
  for await (const frame of readSseFrames(response.body, following.options.silenceMs ?? 45_000)) {
    onFrame()
    heard.lastId = frame.id ?? heard.lastId
    const event = AnalysisEvent.safeParse(parseJson(frame.data))
    if (event.success) hear(following, heard, { event: event.data, cursor: frame.id ?? null }) // a newer server may tell of other things
    following.signal.throwIfAborted()
    if (heard.isDone) return
  }
}

interface ToldEvent {
  readonly event: AnalysisEvent
  readonly cursor: string | null
}

function hear(following: Following, heard: Heard, told: ToldEvent): void {
  const { event } = told
  if (event.type === 'answer') heard.result = event.result
  if (event.type === 'error') heard.failure = event
  if (event.type === 'done') heard.isDone = true
  if (event.type !== 'session') heard.isParked = event.type === 'error' && event.code === sessionExpired
  const isKnown = event.type === 'tool_call' && heard.calls.has(event.id)
  if (event.type === 'tool_call') heard.calls.add(event.id)
  if (!isKnown) tell(following, told)
  if (following.signal.aborted) return
  if (event.type === 'tool_call' && event.answered !== true) void runTool(following, heard, event)
}

/** What the caller's own function throws is the caller's: no other connection mends it. */
function tell({ options, giveUp }: Following, { event, cursor }: ToldEvent): void {
  try {
    options.onEvent?.(event, cursor)
  } catch (error) {
    giveUp(error)
  }
}

async function runTool(following: Following, { atWork }: Heard, call: CalledTool): Promise<void> {
  const { connection, options, started, signal } = following
  const { sessionId, toolToken = '' } = started
  if (options.tools === undefined || atWork.has(call.id)) return
  atWork.add(call.id)
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
