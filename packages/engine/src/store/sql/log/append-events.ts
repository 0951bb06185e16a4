import type { EventDraft, SessionId, SessionState } from '@quarterdeck/protocol'
import type { Transaction } from 'kysely'
import type { AppendOptions, EventStore } from '../../ports/event-store.ts'
import { leaseLost, writeConflict } from '../../ports/store-errors.ts'
import { auditLinesOf } from '../audit/audit-lines.ts'
import type { HotQueries } from '../database/compile-hot-queries.ts'
import { rowOfEvent } from '../database/event-row.ts'
import type { StoreTables } from '../database/tables.ts'
import type { MoneyQueries } from '../ledger/compile-money-queries.ts'
import type { SqlDependencies } from '../sql-dependencies.ts'
import { warningMarksOf, withoutGivenWarnings } from './budget-warnings.ts'
import { type AppendPlan, planAppend } from './plan-append.ts'
import type { SessionStates } from './session-states.ts'
import type { SqlOutbox } from './sql-outbox.ts'
import { writeEvents } from './write-events.ts'
import { writeSideRows } from './write-side-rows.ts'
import { writeState } from './write-state.ts'

type Trx = Transaction<StoreTables>

type AppendDeps = Pick<
  SqlDependencies,
  'hot' | 'money' | 'states' | 'commit' | 'addToChain' | 'clock' | 'ids' | 'onAppended'
>

interface Append {
  readonly sessionId: SessionId
  readonly expectedSeq: number
  readonly drafts: readonly EventDraft[]
  readonly options: AppendOptions
}

/** @param enqueue adds the deliveries of the events, in their transaction. */
export function createAppend(deps: AppendDeps, enqueue: SqlOutbox['enqueue']): EventStore['append'] {
  const { commit, states, onAppended } = deps
  return async (...[sessionId, expectedSeq, drafts, options = {}]) => {
    try {
      const append = { sessionId, expectedSeq, drafts, options }
      const plan = await commit(async (trx, touch) => {
        const made = await appendIn(trx, deps, append)
        if (made === null) return null
        await enqueue(trx, made.events)
        touch(sessionId, made.state.seq)
        return made
      }, sessionId)
      if (plan === null) return []
      states.remember(plan.state)
      onAppended()
      return plan.events
    } catch (error) {
      states.forget(sessionId)
      throw error
    }
  }
}

/** `null` if every draft was already booked or recorded: nothing is written. */
async function appendIn(trx: Trx, deps: AppendDeps, append: Append): Promise<AppendPlan | null> {
  const { hot, money, states, addToChain } = deps
  const { sessionId, expectedSeq } = append
  await refuseLostLease(trx, hot, append)
  const remembered = states.at(sessionId, expectedSeq)
  const previous = remembered ?? (await readState(trx, states, append))
  const drafts = await leaveOutRecorded(trx, await leaveOutBooked(trx, money, append))
  if (drafts.length === 0) {
    if (remembered !== null) await readState(trx, states, append)
    return null
  }
  const plan = planAppend({ sessionId, previous, drafts }, deps)
  await writeState(trx, hot, { expectedSeq, previous, state: plan.state })
  const rows = plan.events.map(rowOfEvent)
  await writeEvents(trx, hot, rows)
  await writeSideRows(trx, deps, plan)
  await addToChain(trx, auditLinesOf(plan.events, rows))
  return plan
}

/** A holder that lost the session must not write, even if no other has written yet. */
async function refuseLostLease(trx: Trx, hot: HotQueries, { sessionId, options }: Append): Promise<void> {
  const { fencing } = options
  if (fencing === undefined) return
  const { rows } = await trx.executeQuery(hot.readFencing(sessionId))
  const current = rows[0]?.fencing ?? 0
  if (current > fencing) throw leaseLost(sessionId, fencing, current)
}

/** The state to append to. The row decides: a session that is not at `expectedSeq` is refused. */
async function readState(
  trx: Trx,
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
  trx: Trx,
  money: MoneyQueries,
  { sessionId, drafts }: Append,
): Promise<readonly EventDraft[]> {
  const booked: string[] = []
  for (const messageId of apiMessageIdsOf(drafts)) {
    const { rows } = await trx.executeQuery(money.findBooked(sessionId, messageId))
    if (rows.length > 0) booked.push(messageId)
  }
  return withoutBookedUsage(drafts, booked)
}

async function leaveOutRecorded(trx: Trx, drafts: readonly EventDraft[]): Promise<readonly EventDraft[]> {
  const marks = warningMarksOf(drafts)
  if (marks.length === 0) return drafts
  const ids = marks.map(({ budgetId }) => budgetId)
  const keys = marks.map(({ key }) => key)
  const budgets = await trx.selectFrom('budgets').select('id').where('id', 'in', ids).execute()
  const given = await trx
    .selectFrom('budget_warnings')
    .selectAll()
    .where('budget_id', 'in', ids)
    .where('key', 'in', keys)
    .execute()
  return withoutGivenWarnings(
    drafts,
    ({ budgetId, key }) =>
      budgets.some(({ id }) => id === budgetId) &&
      !given.some((mark) => mark.budget_id === budgetId && mark.key === key),
  )
}

const apiMessageIdsOf = (drafts: readonly EventDraft[]): readonly string[] =>
  drafts.flatMap((draft) => (draft.type === 'UsageRecorded' ? [draft.data.apiMessageId] : []))

/**
 * The drafts without usage that is already booked, before or earlier in the same list: an API message is booked once,
 * however many reports of it arrive.
 */
function withoutBookedUsage(drafts: readonly EventDraft[], booked: Iterable<string>): readonly EventDraft[] {
  const seen = new Set(booked)
  return drafts.filter((draft) => {
    if (draft.type !== 'UsageRecorded') return true
    if (seen.has(draft.data.apiMessageId)) return false
    seen.add(draft.data.apiMessageId)
    return true
  })
}
