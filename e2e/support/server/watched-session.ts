// Follows a session as a client does, and waits for events.
import {
  isDurable,
  isQuarterdeckError,
  type SessionEvent,
  type SessionId,
  type StreamedEvent,
} from '@quarterdeck/protocol'
import { expect } from 'vitest'
import type { Served } from './serve.ts'

export async function watchUntil(served: Served, sessionId: SessionId, isEnough: (event: StreamedEvent) => boolean) {
  const seen: StreamedEvent[] = []
  const stop = new AbortController()
  for await (const event of served.client.follow(sessionId, { signal: stop.signal })) {
    seen.push(event)
    if (isEnough(event)) stop.abort()
  }
  return seen
}

export async function wholeLog(served: Served, sessionId: SessionId): Promise<readonly SessionEvent[]> {
  const log: SessionEvent[] = []
  for (;;) {
    const page = await served.client.readEvents(sessionId, { after: String(log.at(-1)?.seq ?? 0), limit: 5000 })
    log.push(...page.events)
    if (!page.hasMore) return log
  }
}

export const expectGapFree = (events: readonly SessionEvent[]) =>
  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1))

export const isStatus =
  (...statuses: readonly string[]) =>
  (event: StreamedEvent) =>
    event.type === 'AgentSessionStatusChanged' && statuses.includes(event.data.to)

/** Allows every request until the session is idle. */
export async function allowAll(served: Served, sessionId: SessionId): Promise<readonly StreamedEvent[]> {
  const seen: StreamedEvent[] = []
  const stop = new AbortController()
  for await (const event of served.client.follow(sessionId, { signal: stop.signal })) {
    seen.push(event)
    if (event.type === 'ApprovalRequested') {
      await served.client.decideApproval(event.data.approvalId, { decision: 'allow' }).catch((error: unknown) => {
        // Decided before the server restarted: a later event in the log says so.
        if (!isQuarterdeckError(error, 'approval.already-decided')) throw error
      })
    }
    if (isDurable(event) && isStatus('idle', 'failed')(event)) {
      // Other events of an idle session, such as hibernation, leave it idle.
      const { events } = await served.client.readEvents(sessionId, { after: String(event.seq), limit: 5000 })
      if (!events.some(({ type }) => type === 'AgentSessionStatusChanged')) stop.abort()
    }
  }
  return seen
}
