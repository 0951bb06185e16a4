import type { UsageGroup } from '@quarterdeck/protocol'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { LedgerRow, MoneyStore } from '../../ports/money-store.ts'
import type { StoreTables } from '../database/tables.ts'
import type { SqlDependencies } from '../sql-dependencies.ts'
import { bookingOfRow } from './booking-row.ts'
import { dayOf } from './spending.ts'

type Ledger = Pick<MoneyStore, 'ledger' | 'usage' | 'spent' | 'spentByEach'>

const columnOf = {
  model: 'model',
  agent: 'agent_name',
  user: 'owner',
  key: 'started_by',
  session: 'session_id',
} as const
const groupOf = (group: UsageGroup) =>
  group === 'day' ? sql<string>`substr(at, 1, 10)` : sql.ref<string>(columnOf[group])

export function createSqlLedger({ db }: Pick<SqlDependencies, 'db'>): Ledger {
  const spending = db
    .selectFrom('spending')
    .select(({ fn }) => [fn.sum<number | null>('usd').as('usd'), fn.sum<number | null>('units').as('units')])
  return {
    async ledger(sessionId) {
      const rows = await db
        .selectFrom('bookings')
        .selectAll()
        .where('session_id', '=', sessionId)
        .orderBy('seq')
        .execute()
      return rows.map(bookingOfRow)
    },
    async usage({ from, to, groupBy, filter = {} }) {
      let query = sums(db)
      if (from !== undefined) query = query.where('at', '>=', new Date(from).toISOString())
      if (to !== undefined) query = query.where('at', '<', new Date(to).toISOString())
      if (filter.model !== undefined) query = query.where('model', '=', filter.model)
      if (filter.agent !== undefined) query = query.where(sql<boolean>`agent_name = ${filter.agent}`)
      if (filter.user !== undefined) query = query.where('owner', '=', filter.user)
      if (filter.session !== undefined) query = query.where('session_id', '=', filter.session)
      const groups = [...new Set(groupBy)]
      const named = groups.map((group) => groupOf(group).as(`of_${group}`))
      const positions = groups.map((_, index) => sql<string>`${sql.lit(index + 1)}`)
      const grouped =
        named.length === 0
          ? query
          : query
              .clearSelect()
              .select([...named, ...selections])
              .groupBy(positions)
      const rows = await positions.reduce((ordered, position) => ordered.orderBy(position), grouped).execute()
      return rows.filter((row) => Number(row.requests) > 0).map((row) => usageOf(row, groups))
    },
    async spent({ scope, subject, from }) {
      const [sum] = await spending
        .where('scope', '=', scope)
        .where('subject', '=', subject)
        .where('day', '>=', from === null ? '' : dayOf(from))
        .execute()
      return { usd: Number(sum?.usd ?? 0), units: Number(sum?.units ?? 0) }
    },
    async spentByEach({ scope, from }) {
      const rows = await spending
        .select('subject')
        .where('scope', '=', scope)
        .where('day', '>=', from === null ? '' : dayOf(from))
        .groupBy('subject')
        .orderBy('subject')
        .execute()
      return new Map(rows.map(({ subject, usd, units }) => [subject, { usd: Number(usd), units: Number(units) }]))
    },
  }
}

const sumOf = <Name extends string>(expression: ReturnType<typeof sql<number>>, name: Name) =>
  sql<number>`coalesce(sum(${expression}), 0)`.as(name)

const selections = [
  sql<number>`count(*)`.as('requests'),
  sumOf(sql<number>`input_tokens`, 'input'),
  sumOf(sql<number>`output_tokens`, 'output'),
  sumOf(sql<number>`cache_read_tokens`, 'cache_read'),
  sumOf(sql<number>`cache_write_tokens`, 'cache_write'),
  sumOf(sql<number>`cost_usd`, 'cost_usd'),
  sumOf(sql<number>`units`, 'units'),
  sumOf(sql<number>`coalesce(high_cost_usd, cost_usd)`, 'high_cost_usd'),
  sumOf(sql<number>`case when cost_usd is null then 1 else 0 end`, 'unpriced'),
  sumOf(sql<number>`is_estimated`, 'estimated'),
  sumOf(sql<number>`is_simulated`, 'simulated'),
  sumOf(sql<number>`case when is_simulated = 1 then cost_usd end`, 'simulated_usd'),
] as const

const sums = (db: Kysely<StoreTables>) => db.selectFrom('bookings').select([...selections])

type SumRow = Awaited<ReturnType<ReturnType<typeof sums>['execute']>>[number]

function usageOf(row: SumRow, groups: readonly UsageGroup[]): LedgerRow {
  // PostgreSQL returns integer sums as text, and the groups are known only at run time.
  const group = Object.fromEntries(groups.map((name) => [name, String(Reflect.get(row, `of_${name}`))]))
  const isEstimated = Number(row.estimated) > 0
  return {
    group,
    requests: Number(row.requests),
    tokens: {
      input: Number(row.input),
      output: Number(row.output),
      cacheRead: Number(row.cache_read),
      cacheWrite: Number(row.cache_write),
      ...(isEstimated ? { isOutputEstimated: true } : {}),
    },
    costUsd: Number(row.cost_usd),
    units: Number(row.units),
    highCostUsd: Number(row.high_cost_usd),
    hasUnpriced: Number(row.unpriced) > 0,
    hasEstimated: isEstimated,
    simulatedRequests: Number(row.simulated),
    simulatedUsd: Number(row.simulated_usd),
  }
}
