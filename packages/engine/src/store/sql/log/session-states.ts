// Session states from the rows, with the most recent ones in memory, so that an append need not read and parse its own.
import { foldSession, parseJson, type SessionId, SessionState } from '@quarterdeck/protocol'
import type { Kysely } from 'kysely'
import { storeUnreadable } from '../../ports/store-errors.ts'
import { sessionKind } from '../../ports/streams.ts'
import type { HotQueries } from '../database/compile-hot-queries.ts'
import { eventOfRow } from '../database/event-row.ts'
import type { SessionRow, StoreTables } from '../database/tables.ts'

export type StateRow = Pick<SessionRow, 'session_id' | 'seq' | 'state'>

const rememberedStates = 1000
const refoldPage = 1000

export function createSessionStates(hot: HotQueries) {
  // A log only grows, so a cached state stays correct for its `seq`; it is stale only if the row has another one.
  const remembered = new Map<SessionId, SessionState>()

  /** A state that this version cannot read (an older format, a damaged row) is folded again from the log. */
  async function refold(db: Kysely<StoreTables>, sessionId: SessionId): Promise<SessionState> {
    let state: SessionState | null = null
    for (;;) {
      const { rows } = await db.executeQuery(
        hot.readEvents({ kind: sessionKind, id: sessionId }, state?.seq ?? 0, refoldPage),
      )
      state = foldSession(state, rows.map(eventOfRow))
      if (state === null) throw storeUnreadable(`session ${sessionId} has no log: restore the database from a backup`)
      if (rows.length < refoldPage) return state
    }
  }

  return {
    /** The state at exactly this event, if it is cached. */
    at(sessionId: SessionId, seq: number): SessionState | null {
      const state = remembered.get(sessionId)
      return state?.seq === seq ? state : null
    },
    remember(state: SessionState): void {
      remembered.delete(state.sessionId)
      remembered.set(state.sessionId, state)
      const [oldest] = remembered.keys()
      if (oldest !== undefined && remembered.size > rememberedStates) remembered.delete(oldest)
    },
    forget(sessionId: SessionId): void {
      remembered.delete(sessionId)
    },
    async ofRow(db: Kysely<StoreTables>, row: StateRow): Promise<SessionState> {
      return this.at(row.session_id, row.seq) ?? parseState(row) ?? (await refold(db, row.session_id))
    },
  }
}

export type SessionStates = ReturnType<typeof createSessionStates>

/** `null` for a row that this version cannot read: the caller folds the log instead. */
function parseState(row: StateRow): SessionState | null {
  const { data } = SessionState.safeParse(parseJson(row.state))
  return data?.seq === row.seq ? data : null
}
