// What a fork knows from before it began: the ends of the logs it came from, oldest first.
import { type Client, isQuarterdeckError, type SessionEvent, type SessionId } from '@quarterdeck/protocol'
import { beginStory, type SessionStory, tellStory } from './session-story.ts'

export interface EarlierPart {
  readonly sessionId: SessionId
  /** `null` where that session was deleted. */
  readonly story: SessionStory | null
  /** Events before these are left out: they are read in that session. */
  readonly isCut: boolean
}

export interface EarlierOptions {
  /** How many events are read at most, over all sessions. */
  readonly limit?: number
}

interface ForkPoint {
  readonly sessionId: SessionId
  readonly seq: number
}

export async function readEarlier(
  client: Client,
  from: ForkPoint,
  { limit = 2000 }: EarlierOptions = {},
): Promise<readonly EarlierPart[]> {
  const parts: EarlierPart[] = []
  let left = limit
  for (let point: ForkPoint | null = from; point !== null && left > 0; ) {
    const { sessionId, seq }: ForkPoint = point
    const found = await client.getSession(sessionId).catch((error: unknown) => {
      if (isQuarterdeckError(error, 'session.not-found')) return null
      throw error
    })
    if (found === null) return [{ sessionId, story: null, isCut: false }, ...parts]
    const first = Math.max(0, seq - left)
    const events = await readSpan(client, sessionId, { after: first, until: seq })
    parts.unshift({ sessionId, story: tellStory(beginStory(found), events), isCut: first > 0 })
    left -= events.length
    point = found.session.forkedFrom
  }
  return parts
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
