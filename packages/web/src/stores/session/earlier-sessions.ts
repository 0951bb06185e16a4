// The conversation before a fork: the last events of the original logs, oldest first.
import type { Client } from '@quarterdeck/client'
import { isQuarterdeckError, type SessionEvent, type SessionId } from '@quarterdeck/protocol'
import { beginProjection, foldProjection, type SessionProjection } from './session-projection.ts'

export interface EarlierSession {
  readonly sessionId: SessionId
  /** `null` if that session was deleted. */
  readonly projection: SessionProjection | null
  /** True if earlier events were left out. */
  readonly isCut: boolean
}

interface ForkPoint {
  readonly sessionId: SessionId
  readonly seq: number
}

/** Reads at most `limit` events over all sessions. */
export async function readEarlierSessions(
  client: Client,
  from: ForkPoint,
  { limit = 2000 }: { readonly limit?: number } = {},
): Promise<readonly EarlierSession[]> {
  const earlierSessions: EarlierSession[] = []
  let left = limit
  for (let point: ForkPoint | null = from; point !== null && left > 0; ) {
    const { sessionId, seq }: ForkPoint = point
    const found = await client.getSession(sessionId).catch((error: unknown) => {
      if (isQuarterdeckError(error, 'session.not-found')) return null
      throw error
    })
    if (found === null) return [{ sessionId, projection: null, isCut: false }, ...earlierSessions]
    const first = Math.max(0, seq - left)
    const events = await readSpan(client, sessionId, { after: first, until: seq })
    earlierSessions.unshift({ sessionId, projection: foldProjection(beginProjection(found), events), isCut: first > 0 })
    left -= events.length
    point = found.session.forkedFrom
  }
  return earlierSessions
}

async function readSpan(
  client: Client,
  sessionId: SessionId,
  { after, until }: { readonly after: number; readonly until: number },
): Promise<readonly SessionEvent[]> {
  const events: SessionEvent[] = []
  for (let last = after; last < until; ) {
    const page = await client.readEvents(sessionId, { after: String(last), limit: Math.min(1000, until - last) })
    if (page.events.length === 0) break
    events.push(...page.events.filter(({ seq }) => seq <= until))
    last = page.events.at(-1)?.seq ?? until
  }
  return events
}
