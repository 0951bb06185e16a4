import type { SessionState } from '@quarterdeck/protocol'
import type { EventStore } from '../store/event-store.ts'

/** How far back to look: an attempt longer ago than this is another story. */
const reach = 1000

/** Turns in a row that failed, from the log's end. Most sessions answer without a look at it. */
export async function countFailedTurns(
  store: Pick<EventStore, 'read'>,
  { sessionId, seq, lastError }: SessionState,
): Promise<number> {
  if (lastError === null) return 0
  const events = await store.read(sessionId, Math.max(0, seq - reach), reach)
  const outcomes = events.flatMap((event) => (event.type === 'TurnEnded' ? [event.data.outcome] : []))
  const lastGood = outcomes.findLastIndex((outcome) => outcome !== 'failed' && outcome !== 'crashed')
  return outcomes.length - 1 - lastGood
}
