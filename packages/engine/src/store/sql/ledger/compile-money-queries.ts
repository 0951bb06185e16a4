// The queries of every model request, built and compiled once like those of every append.
import type { SessionId } from '@quarterdeck/protocol'
import type { Kysely } from 'kysely'
import type { Booking } from '../../ports/money-store.ts'
import { withParameters } from '../database/compile-hot-queries.ts'
import type { StoreTables } from '../database/tables.ts'
import { rowOfBooking } from './booking-row.ts'
import { spendingOf } from './spending.ts'

const blankSession = '' as SessionId // never bound: each call replaces it

/** Only defines the queries. */
const blankBooking: Booking = {
  sessionId: blankSession,
  requestId: '',
  apiMessageId: '',
  model: '',
  servedModel: '',
  source: 'gateway',
  tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  costUsd: 0,
  units: 0,
  highCostUsd: 0,
  at: new Date(0).toISOString(),
  owner: '',
  startedBy: '',
  agentName: '',
  isSimulated: false,
}

const blankBookingRow = rowOfBooking(0, blankBooking)
const blankSums = spendingOf(blankBooking)

/** The values of a row in the column order of the blank one, which is the query's. */
function valuesLike<Row extends object>(blank: Row, row: Row): readonly unknown[] {
  const columns = Object.keys(blank) as (keyof Row)[] // Object.keys loses the literal keys
  return columns.map((column) => row[column])
}

export function compileMoneyQueries(db: Kysely<StoreTables>) {
  const listBudgets = db.selectFrom('budgets').selectAll().orderBy('created_at').orderBy('id').compile()
  const findBooked = db
    .selectFrom('bookings')
    .select('api_message_id')
    .where('session_id', '=', blankSession)
    .where('api_message_id', '=', '')
    .compile()
  const insertBooking = db.insertInto('bookings').values(blankBookingRow).compile()
  const addSpending = db
    .insertInto('spending')
    .values([...blankSums])
    .onConflict((on) =>
      on
        .columns(['scope', 'subject', 'day'])
        .doUpdateSet(({ eb, ref }) => ({
          usd: eb('spending.usd', '+', ref('excluded.usd')),
          units: eb('spending.units', '+', ref('excluded.units')),
        })),
    )
    .compile()
  const noteBegun = db
    .insertInto('begun_answers')
    .values({ session_id: blankSession, api_message_id: '', answer: '' })
    .onConflict((on) => on.columns(['session_id', 'api_message_id']).doNothing())
    .compile()
  const dropBegun = db
    .deleteFrom('begun_answers')
    .where('session_id', '=', blankSession)
    .where('api_message_id', '=', '')
    .compile()
  return {
    listBudgets: () => listBudgets,
    findBooked: (sessionId: SessionId, apiMessageId: string) => withParameters(findBooked, [sessionId, apiMessageId]),
    insertBooking: (seq: number, booking: Booking) =>
      withParameters(insertBooking, valuesLike(blankBookingRow, rowOfBooking(seq, booking))),
    addSpending: (booking: Booking) => {
      const sums = spendingOf(booking).map((sum) => valuesLike(blankSums[0], sum))
      return withParameters(addSpending, sums.flat())
    },
    noteBegun: (sessionId: SessionId, apiMessageId: string, answer: string) =>
      withParameters(noteBegun, [sessionId, apiMessageId, answer]),
    dropBegun: (sessionId: SessionId, apiMessageId: string) => withParameters(dropBegun, [sessionId, apiMessageId]),
  }
}

export type MoneyQueries = ReturnType<typeof compileMoneyQueries>
