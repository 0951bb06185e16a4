// What was used and what it cost, out of the ledger: also for whoever reads a data folder without an engine.
import { UsageQuery, type UsageRow } from '@quarterdeck/protocol'
import type { MoneyStore, UsageRow as Sum, UsageFilter, UsageGroup } from '../../store/ports/money-store.ts'
import type { BudgetOperations } from '../session-service.ts'

export function createUsageOperation(store: Pick<MoneyStore, 'usage'>): BudgetOperations['usage'] {
  return async (input) => {
    const { by, from, to, ...filter } = UsageQuery.parse(input)
    const groupBy = [...new Set(by.split(','))] as UsageGroup[] // the schema admits nothing else
    const given = Object.fromEntries(Object.entries(filter).filter(([, name]) => name !== undefined)) as UsageFilter // of the same shape
    const asked = { ...(from !== undefined && { from }), ...(to !== undefined && { to }), filter: given }
    const [rows, [total]] = await Promise.all([
      store.usage({ ...asked, groupBy }),
      store.usage({ ...asked, groupBy: [] }),
    ])
    return { rows: rows.map(rowOf), total: total === undefined ? nothing : rowOf(total) }
  }
}

const nothing: UsageRow = {
  requests: 0,
  tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  costUsd: 0,
  units: 0,
  savedUsd: 0,
  hasUnpricedUsage: false,
  simulatedRequests: 0,
  simulatedUsd: 0,
}

const rowOf = ({ group, highCostUsd, hasUnpriced, hasEstimated: _, ...sum }: Sum): UsageRow => ({
  ...group,
  ...sum,
  savedUsd: highCostUsd - sum.costUsd,
  hasUnpricedUsage: hasUnpriced,
})
