// The line before one model family: who may go now, and where the others stand.
import type { ProviderLimits } from '../../provider-limits.ts'
import type { RateQueuePosition, Waiting } from '../model-gateway.ts'
import { createFairQueue } from './fair-queue.ts'
import type { RateRequest, RateTicket, ShaperClock } from './rate-shaper.ts'
import { createRateWindows, type RateUse } from './rate-windows.ts'
import { createRefusalPause } from './refusal-pause.ts'
import { createUsageEstimator } from './usage-estimator.ts'

export interface FamilyQueue {
  acquire(request: RateRequest, signal: AbortSignal): Promise<RateTicket>
}

interface FamilyQueueDeps {
  readonly limits: ProviderLimits
  readonly clock: ShaperClock
  readonly onWaiting: (waiting: Waiting) => void
}

interface QueueEntry {
  readonly request: RateRequest
  readonly go: (ticket: RateTicket) => void
  /** The position last told; `gone` is told nothing more. */
  reportedPosition: number | null | 'gone'
}

export function createFamilyQueue({ limits, clock, onWaiting }: FamilyQueueDeps): FamilyQueue {
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

  /** Lets go whoever may, tells the others where they stand, and comes back when time alone changes that. */
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
    onWaiting({ sessionId, requestId, queuePosition: { position, waiting } })
  }

  function reportDeparture(entry: QueueEntry): void {
    const hasWaited = entry.reportedPosition !== null
    entry.reportedPosition = 'gone'
    const { sessionId, requestId } = entry.request
    if (hasWaited) onWaiting({ sessionId, requestId, queuePosition: null })
  }

  return { acquire }
}
