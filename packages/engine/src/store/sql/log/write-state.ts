import type { SessionId, SessionState } from '@quarterdeck/protocol'
import type { Transaction } from 'kysely'
import { writeConflict } from '../../ports/store-errors.ts'
import type { HotQueries } from '../database/compile-hot-queries.ts'
import type { SessionListColumns, SessionRow, StoreTables } from '../database/tables.ts'
import { foldTitle } from './fold-title.ts'

type Trx = Transaction<StoreTables>

export interface StateChange {
  readonly expectedSeq: number
  readonly previous: SessionState | null
  readonly state: SessionState
}

/** Writes a session's row. Refused with `store.conflict` if another writer was faster. */
export async function writeState(trx: Trx, hot: HotQueries, change: StateChange): Promise<void> {
  const { expectedSeq, previous, state } = change
  const { numAffectedRows } = await (previous === null
    ? insertRow(trx, state)
    : trx.executeQuery(hot.updateSession(state, expectedSeq)))
  if (numAffectedRows !== 1n) {
    throw writeConflict(state.sessionId, expectedSeq, await currentSeq(trx, state.sessionId))
  }
  if (previous !== null && hasMoved(previous, state))
    await trx.executeQuery(hot.moveSession(state.sessionId, listColumnsOf(state)))
  if (previous?.tags !== state.tags || previous.isArchived !== state.isArchived) await writeTags(trx, state)
}

const insertRow = (trx: Trx, state: SessionState) =>
  trx.executeQuery(
    trx
      .insertInto('sessions')
      .values(rowOfState(state))
      .onConflict((on) => on.doNothing())
      .compile(),
  )

/** Whether an indexed column has changed. */
const hasMoved = (previous: SessionState, state: SessionState): boolean =>
  previous.status !== state.status ||
  previous.isArchived !== state.isArchived ||
  previous.isHibernated !== state.isHibernated ||
  previous.title !== state.title

async function currentSeq(trx: Trx, sessionId: SessionId): Promise<number> {
  const row = await trx.selectFrom('sessions').select('seq').where('session_id', '=', sessionId).executeTakeFirst()
  return row?.seq ?? 0
}

async function writeTags(trx: Trx, { sessionId, tags, createdAt, isArchived }: SessionState): Promise<void> {
  await trx.deleteFrom('session_tags').where('session_id', '=', sessionId).execute()
  const tagColumns = { session_id: sessionId, created_at: createdAt, is_archived: asFlag(isArchived) }
  const rows = [...new Set(tags)].map((tag) => ({ tag, ...tagColumns }))
  if (rows.length > 0) await trx.insertInto('session_tags').values(rows).execute()
}

function rowOfState(state: SessionState): SessionRow {
  return {
    session_id: state.sessionId,
    seq: state.seq,
    agent_name: state.agentName,
    owner: state.owner,
    created_at: state.createdAt,
    updated_at: state.updatedAt,
    state: JSON.stringify(state),
    ...listColumnsOf(state),
  }
}

const listColumnsOf = ({ status, isArchived, isHibernated, title }: SessionState): SessionListColumns => ({
  status,
  is_archived: asFlag(isArchived),
  is_hibernated: asFlag(isHibernated),
  folded_title: foldTitle(title),
})

const asFlag = (fact: boolean): 0 | 1 => (fact ? 1 : 0)
