// The queue of one model family: admits requests and reports the positions of the others.
import type { GatewayDecisions, RateQueuePosition, RequestName } from '@quarterdeck/protocol'
import type { ProviderLimits } from '../../provider-limits.ts'
import { createFairQueue } from './fair-queue.ts'
import { createRateWindows, type RateUse } from './rate-windows.ts'

/** `promptTokens` includes cache reads. */
export type RateOutcome = RateUse & { readonly promptTokens: number }

export type RateRequest = RequestName & {
  readonly owner: string
  readonly model: string
  /** Of the whole prompt, estimated. */
  readonly inputTokens: number
  /** The part of these that will be read from the cache. */
  readonly cachedInputTokens: number
  readonly maxOutputTokens: number
  /** A retry of a request that had its turn: it goes before the owner's other requests. */
  readonly isRetry: boolean
}

/** One request's share of the rate, from its admission until its use is known. */
export interface RateTicket {
  /** The provider has started to answer and counted the input. */
  begun(inputTokens: number): void
  /** The actual use, or null if the request failed. Only the first call counts. */
  end(use: RateOutcome | null): void
  /** The provider answered 429: all requests to these models wait. Ends the ticket and returns the delay. */
  refused(retryAfterMs: number): number
}

export interface ShaperClock {
  /** Monotonic milliseconds. */
  now(): number
  /** Returns a function that cancels it. */
  after(delayMs: number, run: () => void): () => void
}

export type FamilyQueue = ReturnType<typeof createFamilyQueue>

interface FamilyQueueDeps {
  readonly limits: ProviderLimits
  readonly clock: ShaperClock
  readonly onWaiting: GatewayDecisions['onWaiting']
}

interface QueueEntry {
  readonly request: RateRequest
  readonly go: (ticket: RateTicket) => void
  /** The last reported position; nothing is reported after `gone`. */
  reportedPosition: number | null | 'gone'
}

export function createFamilyQueue({ limits, clock, onWaiting }: FamilyQueueDeps) {
  const windows = createRateWindows(limits, clock.now)
  const estimator = createUsageEstimator(limits.outputTokens)
  const pause = createRefusalPause(clock.now)
  const queue = createFairQueue<QueueEntry>()
  let callOff = () => {}

  function acquire(request: RateRequest, signal: AbortSignal): Promise<RateTicket> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const entry: QueueEntry = { request, reportedPosition: null, go }
      signal.addEventListener('abort', leave, { once: true })
      if (request.isRetry) queue.pushFirst(request, entry)
      else queue.push(request, entry)
      admit()

      function go(ticket: RateTicket): void {
        signal.removeEventListener('abort', leave)
        resolve(ticket)
      }
      function leave(): void {
        queue.remove(entry)
        reportDeparture(entry)
        admit()
        reject(signal.reason)
      }
    })
  }

  /** Admits requests that fit, reports positions, and schedules itself for when waiting time alone admits more. */
  function admit(): void {
    callOff()
    callOff = () => {}
    for (let entry = queue.next(); entry && waitOf(entry.request) === 0; entry = queue.next()) {
      queue.shift()
      reportDeparture(entry)
      entry.go(ticketFor(entry.request))
    }
    const next = queue.next()
    if (!next) return
    const queueEntries = queue.list()
    for (const [at, entry] of queueEntries.entries())
      reportPosition(entry, { position: at + 1, waiting: queueEntries.length })
    const wait = waitOf(next.request)
    if (wait !== null) callOff = clock.after(Math.ceil(wait), admit)
  }

  function waitOf(request: RateRequest): number | null {
    const paused = pause.wait()
    const full = windows.waitFor(reserveFor(request))
    return paused === null || full === null ? null : Math.max(paused, full)
  }

  function reserveFor(request: RateRequest): RateUse {
    const bound = request.maxOutputTokens || Number.POSITIVE_INFINITY
    const inputTokens = estimator.input(request.inputTokens - request.cachedInputTokens)
    return { inputTokens, outputTokens: Math.min(estimator.output(), bound) }
  }

  function ticketFor(request: RateRequest): RateTicket {
    const share = windows.hold(reserveFor(request))
    const report = pause.send()
    return {
      begun(inputTokens) {
        if (!share.begin(inputTokens)) return
        report('answered')
        admit()
      },
      end(use) {
        if (!share.end(use)) return
        report(use ? 'answered' : 'unanswered')
        if (use) estimator.learn({ estimate: request.inputTokens, input: use.promptTokens, output: use.outputTokens })
        admit()
      },
      refused(retryAfterMs) {
        if (!share.end(null)) return 0
        report('unanswered')
        const pauseMs = pause.begin(retryAfterMs)
        admit()
        return pauseMs
      },
    }
  }

  function reportPosition(entry: QueueEntry, { position, waiting }: RateQueuePosition): void {
    if (entry.reportedPosition === position || entry.reportedPosition === 'gone') return
    entry.reportedPosition = position
    const { sessionId, requestId } = entry.request
    onWaiting({ sessionId, requestId }, { position, waiting })
  }

  function reportDeparture(entry: QueueEntry): void {
    const hasWaited = entry.reportedPosition !== null
    entry.reportedPosition = 'gone'
    const { sessionId, requestId } = entry.request
    if (hasWaited) onWaiting({ sessionId, requestId }, null)
  }

  return { acquire }
}

/**
 * After a 429 all requests wait as long as the provider says. Then one request is sent as a probe, and the others
 * follow its answer. All at once would only be refused again.
 */
function createRefusalPause(now: () => number) {
  let until = 0
  let probe: 'none' | 'wanted' | 'running' = 'none'
  /** Of a request sent before the pause, while the probe was running: its answer says nothing about the new pause. */
  let isRefusedAgain = false

  return {
    /** How long until a request may be sent; null while a probe is running. */
    wait: () => (probe === 'running' ? null : Math.max(0, until - now())),
    /** The provider answered 429. Returns how long requests wait now. */
    begin(retryAfterMs: number) {
      until = Math.max(until, now() + retryAfterMs)
      if (probe === 'none') probe = 'wanted'
      if (probe === 'running') isRefusedAgain = true
      return until - now()
    },
    /** A request is sent. Returns a function to report its end; only its first call counts. */
    send(): (end: 'answered' | 'unanswered') => void {
      if (probe !== 'wanted') return () => {}
      probe = 'running'
      isRefusedAgain = false
      let isRunning = true
      return (end) => {
        if (isRunning) probe = end === 'answered' && !isRefusedAgain ? 'none' : 'wanted'
        isRunning = false
      }
    },
  }
}

const firstGuess = 2_000
const firstShare = 0.25
const weightOfNewest = 0.2
// The provider's limit is exact and an estimate is not; an excess is released when the answer begins.
const headroom = 1.1
// One unusual answer must not distort every later estimate.
const leastRatio = 0.25
const greatestRatio = 8

/**
 * Estimates the tokens of a request from finished requests of its model family. A request reserves the usual output,
 * never its own bound: a bound of 32,000 would fill a small tier alone. Until the first request ends, the output is a
 * guess, so few requests are sent at once.
 */
function createUsageEstimator(outputLimit: number) {
  let ratio = 1
  let mean = Math.min(firstGuess, outputLimit * firstShare)
  let deviation = 0
  let hasLearned = false

  return {
    /** Input that will count, from an estimate by characters. */
    input: (estimate: number) => Math.ceil(estimate * ratio * headroom),
    /** Slightly above the average, by the spread of the answers. */
    output: () => Math.max(1, Math.ceil(mean + deviation)),
    learn({ estimate, input, output }: { readonly estimate: number; readonly input: number; readonly output: number }) {
      deviation = hasLearned ? blend(deviation, Math.abs(output - mean)) : 0
      mean = hasLearned ? blend(mean, output) : output
      hasLearned = true
      if (estimate <= 0) return
      ratio = blend(ratio, Math.min(greatestRatio, Math.max(leastRatio, input / estimate)))
    },
  }
}

const blend = (before: number, newest: number): number => before * (1 - weightOfNewest) + newest * weightOfNewest
