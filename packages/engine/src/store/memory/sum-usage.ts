import { addTokens } from '@quarterdeck/protocol'
import type { LedgerRow, UsageGroup, UsageQuery, UsageRow } from '../money-store.ts'
import { dayOf } from '../spending.ts'

export function sumUsage(bookings: readonly LedgerRow[], query: UsageQuery): readonly UsageRow[] {
  const groups = [...new Set(query.groupBy)]
  const sums = new Map<string, UsageRow>()
  for (const booking of bookings.filter((row) => isAskedFor(row, query))) {
    const names = groups.map((group) => nameIn(group, booking))
    const key = JSON.stringify(names)
    const group = Object.fromEntries(groups.map((name, index) => [name, names[index] ?? '']))
    sums.set(key, addBooking(sums.get(key) ?? { ...nothing, group }, booking))
  }
  return [...sums.values()].sort((one, other) => compareGroups(groups, one, other))
}

function isAskedFor(row: LedgerRow, { from, to, filter = {} }: UsageQuery): boolean {
  if (from !== undefined && row.at < new Date(from).toISOString()) return false
  if (to !== undefined && row.at >= new Date(to).toISOString()) return false
  if (filter.model !== undefined && row.model !== filter.model) return false
  if (filter.agent !== undefined && row.agentName !== filter.agent) return false
  if (filter.user !== undefined && row.owner !== filter.user) return false
  return filter.session === undefined || row.sessionId === filter.session
}

function nameIn(group: UsageGroup, row: LedgerRow): string {
  const names = { day: dayOf(row.at), model: row.model, agent: row.agentName, user: row.owner, session: row.sessionId }
  return names[group]
}

const nothing: UsageRow = {
  group: {},
  requests: 0,
  tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  costUsd: 0,
  units: 0,
  highCostUsd: 0,
  hasUnpriced: false,
  hasEstimated: false,
}

const addBooking = (sum: UsageRow, row: LedgerRow): UsageRow => ({
  group: sum.group,
  requests: sum.requests + 1,
  tokens: addTokens(sum.tokens, row.tokens),
  costUsd: sum.costUsd + (row.costUsd ?? 0),
  units: sum.units + row.units,
  highCostUsd: sum.highCostUsd + (row.highCostUsd ?? row.costUsd ?? 0),
  hasUnpriced: sum.hasUnpriced || row.costUsd === null,
  hasEstimated: sum.hasEstimated || row.tokens.isOutputEstimated === true,
})

function compareGroups(groups: readonly UsageGroup[], one: UsageRow, other: UsageRow): number {
  for (const group of groups) {
    const [a = '', b = ''] = [one.group[group], other.group[group]]
    if (a !== b) return a < b ? -1 : 1
  }
  return 0
}
