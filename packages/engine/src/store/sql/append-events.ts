import type { EventDraft, SessionId, SessionState } from '@quarterdeck/protocol'
import type { Kysely, Transaction } from 'kysely'
import { apiMessageIdsOf, withoutBooked } from '../book-once.ts'
import type { Clock, EventStore, Ids } from '../event-store.ts'
import { type AppendPlan, planAppend } from '../plan-append.ts'
import { writeConflict } from '../store-errors.ts'
import { eventsPerInsert, type HotQueries } from './compile-hot-queries.ts'
import { rowOfEvent } from './event-row.ts'
import type { SessionStates } from './session-states.ts'
import type { SessionRow, StoreTables } from './tables.ts'
import { writeSideRows } from './write-side-rows.ts'

interface AppendParts {
  readonly db: Kysely<StoreTables>
  readonly hot: HotQueries
  readonly states: SessionStates
  readonly clock: Clock
  readonly ids: Ids
}

interface Append {
  readonly sessionId: SessionId
  readonly expectedSeq: number
  readonly drafts: readonly EventDraft[]
}

export function createAppend(parts: AppendParts): EventStore['append'] {
  const { db, states } = parts
  return async (sessionId, expectedSeq, drafts) => {
    try {
      const plan = await db.transaction().execute((trx) => appendIn(trx, parts, { sessionId, expectedSeq, drafts }))
      if (plan === null) return []
      states.remember(plan.state)
      return plan.events
    } catch (error) {
      states.forget(sessionId)
      throw error
    }
  }
}

/** `null` when every draft was booked before: nothing is written. */
async function appendIn(
  trx: Transaction<StoreTables>,
  { hot, states, clock, ids }: AppendParts,
  append: Append,
): Promise<AppendPlan | null> {
  const { sessionId, expectedSeq } = append
  const remembered = states.at(sessionId, expectedSeq)
  const previous = remembered ?? (await readState(trx, states, append))
  const drafts = await leaveOutBooked(trx, append)
  if (drafts.length === 0) {
    if (remembered !== null) await readState(trx, states, append)
    return null
  }
  const plan = planAppend({ sessionId, previous, drafts }, { clock, ids })
  await writeState(trx, hot, { append, previous, state: plan.state })
  const rows = plan.events.map(rowOfEvent)
  for (let start = 0; start < rows.length; start += eventsPerInsert) {
    await trx.executeQuery(hot.insertEvents(rows.slice(start, start + eventsPerInsert)))
  }
  await writeSideRows(trx, hot, plan.events)
  return plan
}

/** The state to append to. The row decides: a session that is not at `expectedSeq` is refused. */
async function readState(
  trx: Transaction<StoreTables>,
  states: SessionStates,
  { sessionId, expectedSeq }: Append,
): Promise<SessionState | null> {
  const row = await trx
    .selectFrom('sessions')
    .select(['session_id', 'seq', 'state'])
    .where('session_id', '=', sessionId)
    .executeTakeFirst()
  const actualSeq = row?.seq ?? 0
  if (actualSeq !== expectedSeq) throw writeConflict(sessionId, expectedSeq, actualSeq)
  return row === undefined ? null : await states.ofRow(trx, row)
}

async function leaveOutBooked(
  trx: Transaction<StoreTables>,
  { sessionId, drafts }: Append,
): Promise<readonly EventDraft[]> {
  const messageIds = apiMessageIdsOf(drafts)
  if (messageIds.length === 0) return drafts
  const booked = await trx
    .selectFrom('ledger')
    .select('api_message_id')
    .where('session_id', '=', sessionId)
    .where('api_message_id', 'in', messageIds)
    .execute()
  return withoutBooked(
    drafts,
    booked.map((row) => row.api_message_id),
  )
}

async function writeState(
  trx: Transaction<StoreTables>,
  hot: HotQueries,
  { append, previous, state }: { append: Append; previous: SessionState | null; state: SessionState },
): Promise<void> {
  const row = rowOfState(state)
  const { sessionId, expectedSeq } = append
  const { numAffectedRows } =
    previous === null
      ? await trx.executeQuery(
          trx
            .insertInto('sessions')
            .values(row)
            .onConflict((on) => on.doNothing())
            .compile(),
        )
      : await trx.executeQuery(hot.updateSession(row, expectedSeq))
  if (numAffectedRows !== 1n) throw writeConflict(sessionId, expectedSeq, await currentSeq(trx, sessionId))
  if (previous?.tags !== state.tags) await writeTags(trx, state)
}

async function currentSeq(trx: Transaction<StoreTables>, sessionId: SessionId): Promise<number> {
  const row = await trx.selectFrom('sessions').select('seq').where('session_id', '=', sessionId).executeTakeFirst()
  return row?.seq ?? 0
}

async function writeTags(trx: Transaction<StoreTables>, { sessionId, tags, createdAt }: SessionState): Promise<void> {
  await trx.deleteFrom('session_tags').where('session_id', '=', sessionId).execute()
  const rows = [...new Set(tags)].map((tag) => ({ session_id: sessionId, tag, created_at: createdAt }))
  if (rows.length > 0) await trx.insertInto('session_tags').values(rows).execute()
}

function rowOfState(state: SessionState): SessionRow {
  return {
    session_id: state.sessionId,
    seq: state.seq,
    status: state.status,
    agent_name: state.agentName,
    owner: state.owner,
    created_at: state.createdAt,
    updated_at: state.updatedAt,
    state: JSON.stringify(state),
  }
}
