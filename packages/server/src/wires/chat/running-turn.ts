import type { SessionService } from '@quarterdeck/engine'
import type { SessionState } from '@quarterdeck/protocol'

const pageSize = 200

/** The last event before the running turn; the last event of all where none runs. */
export async function beforeRunningTurn(sessions: SessionService, session: SessionState): Promise<number> {
  const { sessionId, seq, turn } = session
  if (turn === null) return seq
  for (let end = seq; end > 0; end -= pageSize) {
    const after = Math.max(0, end - pageSize)
    const { events } = await sessions.events(sessionId, after, Math.min(pageSize, end - after))
    const started = events.find((event) => event.type === 'TurnStarted' && event.turnId === turn.turnId)
    if (started !== undefined) return started.seq - 1
  }
  return seq
}
