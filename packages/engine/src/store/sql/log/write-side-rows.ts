// The rows derived from events, written in the transaction that appends the events.
import {
  type AskId,
  askOpenedBy,
  askSettledBy,
  type EventOfType,
  type SessionEvent,
  type SessionId,
  type SessionState,
  starterOf,
} from '@quarterdeck/protocol'
import type { Transaction } from 'kysely'
import type { Booking } from '../../ports/money-store.ts'
import { settledTexts } from '../../ports/settled-texts.ts'
import { seedUsed } from '../../ports/store-errors.ts'
import type { StoreTables } from '../database/tables.ts'
import type { MoneyQueries } from '../ledger/compile-money-queries.ts'
import type { SqlDependencies } from '../sql-dependencies.ts'
import { warningMarkOf } from './budget-warnings.ts'
import type { AppendPlan } from './plan-append.ts'

type Trx = Transaction<StoreTables>

type SideQueries = Pick<SqlDependencies, 'hot' | 'money'>

export async function writeSideRows(trx: Trx, queries: SideQueries, { events, state }: AppendPlan): Promise<void> {
  for (const event of events) {
    await writeSideRow(trx, queries.money, { event, state })
    // In the transaction of its event: after a crash in between, the same text would appear twice, once as discarded.
    for (const { messageId, kind } of settledTexts(event)) {
      await trx.executeQuery(queries.hot.dropText(event.sessionId, messageId, kind))
    }
  }
}

/** @param state the session after all events of the append. */
async function writeSideRow(
  trx: Trx,
  money: MoneyQueries,
  { event, state }: { readonly event: SessionEvent; readonly state: SessionState },
): Promise<unknown> {
  const opened = askOpenedBy(event)
  if (opened !== null) return openAsk(trx, opened, event)
  const settled = askSettledBy(event)
  if (settled !== null) return closeAsk(trx, settled)
  switch (event.type) {
    case 'AgentSessionCreated':
      return event.data.seed === undefined ? null : writeSeed(trx, event.sessionId, event.data.seed)
    case 'UsageRecorded': {
      const booking = bookingOf(event, state)
      await trx.executeQuery(money.insertBooking(event.seq, booking))
      await trx.executeQuery(money.dropBegun(event.sessionId, booking.apiMessageId))
      return trx.executeQuery(money.addSpending(booking))
    }
    case 'BudgetWarning': {
      const mark = warningMarkOf(event.data)
      if (mark === null) return null
      return trx.insertInto('budget_warnings').values({ budget_id: mark.budgetId, key: mark.key }).execute()
    }
    default:
      return null
  }
}

const openAsk = (trx: Trx, id: AskId, { sessionId, at }: SessionEvent) =>
  trx.insertInto('asks').values({ ask_id: id, session_id: sessionId, is_open: 1, asked_at: at }).execute()

const closeAsk = (trx: Trx, id: AskId) => trx.updateTable('asks').set({ is_open: 0 }).where('ask_id', '=', id).execute()

async function writeSeed(trx: Trx, sessionId: SessionId, seed: string): Promise<void> {
  const earlier = await trx.selectFrom('session_seeds').select('session_id').where('seed', '=', seed).executeTakeFirst()
  if (earlier !== undefined) throw seedUsed(seed, earlier.session_id)
  await trx.insertInto('session_seeds').values({ seed, session_id: sessionId }).execute()
}

function bookingOf({ sessionId, at, data }: EventOfType<'UsageRecorded'>, state: SessionState): Booking {
  const { owner, agentName } = state
  return {
    ...data,
    units: data.units ?? 0,
    highCostUsd: data.highCostUsd ?? null,
    sessionId,
    at,
    owner,
    startedBy: starterOf(state),
    agentName,
    isSimulated: state.modelSource === 'simulator',
  }
}
