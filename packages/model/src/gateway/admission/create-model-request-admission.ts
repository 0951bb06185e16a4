// Admission of model requests that a loop in this process sends by itself: the same budget and rate decisions as in the
// gateway, and the same reports.
import { randomUUID } from 'node:crypto'
import type {
  ModelRequest,
  RequestAdmission,
  RequestEstimate,
  RequestRefusal,
  RequestTicket,
  SessionId,
} from '@quarterdeck/protocol'
import { guardedListeners } from '../guarded-listeners.ts'
import { authorizeRequest, releaseRequest } from '../metering/request-accounting.ts'
import type { ModelGatewayOptions } from '../model-gateway.ts'
import { conversationOf, openTicket, type TicketDeps } from './open-ticket.ts'

type ModelRequestAdmissionOptions = TicketDeps & Pick<ModelGatewayOptions, 'authorize' | 'newId'>

interface Session {
  owner: string
  readonly requestAdmission: RequestAdmission
  /** Waiting and running requests. */
  readonly running: Set<Running>
}

interface Running {
  /** Aborts when the caller gives up the request or its session closes. */
  readonly ending: AbortController
  /** Books the answer so far; set once the request is admitted. */
  endNow: (() => Promise<void>) | null
  /** Settles when the request is admitted or refused, or its reservation is released. */
  admission: Promise<unknown>
}

export function createModelRequestAdmission(options: ModelRequestAdmissionOptions) {
  const newId = options.newId ?? randomUUID
  const deps = { ...options, ...guardedListeners(options) }
  const { shaper, promptCache } = options.traffic
  const sessions = new Map<SessionId, Session>()
  const closing = new Set<Promise<unknown>>()

  function nameOf(estimate: RequestEstimate, sessionId: SessionId): ModelRequest {
    const expected = promptCache.expect(conversationOf(sessionId, estimate.model), estimate.inputTokens)
    const cachedInputTokens = Math.max(estimate.cachedInputTokens, expected)
    return { ...estimate, sessionId, cachedInputTokens, requestId: `req_qd_${newId()}` }
  }

  async function admit(session: Session, request: ModelRequest, signal: AbortSignal) {
    if (sessions.get(request.sessionId) !== session) throw closedError(request.sessionId)
    const running: Running = { ending: new AbortController(), endNow: null, admission: Promise.resolve() }
    const giveUp = () => running.ending.abort(signal.reason)
    if (signal.aborted) giveUp()
    signal.addEventListener('abort', giveUp, { once: true })
    session.running.add(running)
    const onOver = () => {
      signal.removeEventListener('abort', giveUp)
      session.running.delete(running)
    }
    const admission = letThrough(session, request, { running, onOver }).catch((error: unknown) => {
      onOver()
      throw error
    })
    running.admission = admission
    return admission
  }

  async function letThrough(
    session: Session,
    request: ModelRequest,
    { running, onOver }: { readonly running: Running; readonly onOver: () => void },
  ): Promise<RequestTicket | RequestRefusal> {
    const { signal } = running.ending
    signal.throwIfAborted()
    const verdict = await authorizeRequest(request, deps, signal)
    if (verdict.type === 'refuse') {
      signal.throwIfAborted()
      onOver()
      const { type, status, errorType, message } = verdict
      return { type, status, errorType, message }
    }
    const waitForRate = (isRetry: boolean) => shaper.acquire({ ...request, owner: session.owner, isRetry }, signal)
    const rateTicket = await waitForRate(false).catch(async (error: unknown) => {
      await releaseRequest(request, deps)
      throw error
    })
    if (signal.aborted) {
      // Aborted between the grant and this line: no other code would end it.
      rateTicket.end(null)
      await releaseRequest(request, deps)
      throw signal.reason
    }
    const { ticket, endNow } = openTicket({ request, rateTicket, waitForRate, signal, deps, onOver })
    running.endNow = endNow
    return ticket
  }

  /** Rejects waiting requests and books the open ones as far as they came. */
  function closeSession(sessionId: SessionId): void {
    const session = sessions.get(sessionId)
    if (session === undefined) return
    sessions.delete(sessionId)
    for (const { ending, endNow, admission } of [...session.running]) {
      ending.abort(closedError(sessionId))
      const ended: Promise<unknown> = Promise.allSettled([endNow?.(), admission]).then(() => closing.delete(ended))
      closing.add(ended)
    }
  }

  return {
    /** Returns the same object while the session is open. Owners take turns when requests wait. */
    open(sessionId: SessionId, owner: string): RequestAdmission {
      const known = sessions.get(sessionId)
      if (known !== undefined) return Object.assign(known, { owner }).requestAdmission
      const requestAdmission: RequestAdmission = {
        admit: (estimate, signal) => admit(session, nameOf(estimate, sessionId), signal),
      }
      const session: Session = { owner, requestAdmission, running: new Set() }
      sessions.set(sessionId, session)
      return requestAdmission
    },
    closeSession,
    /** Closes every session. Resolves when everything is booked. */
    async close() {
      for (const sessionId of [...sessions.keys()]) closeSession(sessionId)
      await Promise.allSettled(closing)
    },
  }
}

const closedError = (sessionId: SessionId): Error =>
  new Error(`session ${sessionId} is closed: it can send no more model requests`)
