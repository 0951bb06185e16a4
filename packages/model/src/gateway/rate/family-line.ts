// The line before one model family: who may go now, and where the others stand.
import type { ProviderLimits } from '../../provider-limits.ts'
import type { PlaceInLine, Waiting } from '../model-gateway.ts'
import { createFairQueue } from './fair-queue.ts'
import type { RateRequest, RateTicket, ShaperClock } from './rate-shaper.ts'
import { createRateWindows, type RateUse } from './rate-windows.ts'
import { createRefusalPause } from './refusal-pause.ts'
import { createUsualUse } from './usual-use.ts'

export type FamilyLine = {
  acquire(request: RateRequest, signal: AbortSignal): Promise<RateTicket>
}

type FamilyLineDeps = {
  readonly limits: ProviderLimits
  readonly clock: ShaperClock
  readonly onWaiting: (waiting: Waiting) => void
}

type Place = {
  readonly request: RateRequest
  readonly go: (ticket: RateTicket) => void
  /** The position last told; `gone` is told nothing more. */
  told: number | null | 'gone'
}

export function createFamilyLine({ limits, clock, onWaiting }: FamilyLineDeps): FamilyLine {
  const windows = createRateWindows(limits, clock.now)
  const usual = createUsualUse(limits.outputTokens)
  const pause = createRefusalPause(clock.now)
  const queue = createFairQueue<Place>()
  let callOff = () => {}

  function acquire(request: RateRequest, signal: AbortSignal): Promise<RateTicket> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const place: Place = { request, told: null, go }
      signal.addEventListener('abort', leave, { once: true })
      if (request.isRetry) queue.pushFirst(request, place)
      else queue.push(request, place)
      admit()

      function go(ticket: RateTicket): void {
        signal.removeEventListener('abort', leave)
        resolve(ticket)
      }
      function leave(): void {
        queue.remove(place)
        sayGoodbye(place)
        admit()
        reject(signal.reason)
      }
    })
  }

  /** Lets go whoever may, tells the others where they stand, and comes back when time alone changes that. */
  function admit(): void {
    callOff()
    callOff = () => {}
    for (let place = queue.next(); place && waitOf(place.request) === 0; place = queue.next()) {
      queue.shift()
      sayGoodbye(place)
      place.go(ticketFor(place.request))
    }
    const next = queue.next()
    if (!next) return
    const places = queue.list()
    for (const [at, place] of places.entries()) tell(place, { position: at + 1, waiting: places.length })
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
    const inputTokens = usual.input(request.inputTokens - request.cachedInputTokens)
    return { inputTokens, outputTokens: Math.min(usual.output(), bound) }
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
        if (use) usual.learn({ estimate: request.inputTokens, input: use.promptTokens, output: use.outputTokens })
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

  function tell(place: Place, { position, waiting }: PlaceInLine): void {
    if (place.told === position || place.told === 'gone') return
    place.told = position
    const { sessionId, requestId } = place.request
    onWaiting({ sessionId, requestId, place: { position, waiting } })
  }

  function sayGoodbye(place: Place): void {
    const hasWaited = place.told !== null
    place.told = 'gone'
    const { sessionId, requestId } = place.request
    if (hasWaited) onWaiting({ sessionId, requestId, place: null })
  }

  return { acquire }
}
