import { addTokens } from '@quarterdeck/protocol'
import type { Booking, UsageGroup, UsageQuery, UsageRow } from '../ports/money-store.ts'
import { dayOf } from '../sql/ledger/spending.ts'

export function sumUsage(bookings: readonly Booking[], query: UsageQuery): readonly UsageRow[] {
  const groups = [...new Set(query.groupBy)]
  const sums = new Map<string, UsageRow>()
  for (const booking of bookings.filter((one) => isAskedFor(one, query))) {
    const names = groups.map((group) => nameIn(group, booking))
    const key = JSON.stringify(names)
    const group = Object.fromEntries(groups.map((name, index) => [name, names[index] ?? '']))
    sums.set(key, addBooking(sums.get(key) ?? { ...nothing, group }, booking))
  }
  return [...sums.values()].sort((one, other) => compareGroups(groups, one, other))
}

function isAskedFor(booking: Booking, { from, to, filter = {} }: UsageQuery): boolean {
  if (from !== undefined && booking.at < new Date(from).toISOString()) return false
  if (to !== undefined && booking.at >= new Date(to).toISOString()) return false
  if (filter.model !== undefined && booking.model !== filter.model) return false
  if (filter.agent !== undefined && booking.agentName !== filter.agent) return false
  if (filter.user !== undefined && booking.owner !== filter.user) return false
  return filter.session === undefined || booking.sessionId === filter.session
}

function nameIn(group: UsageGroup, booking: Booking): string {
  const names = {
    day: dayOf(booking.at),
    model: booking.model,
    agent: booking.agentName,
    user: booking.owner,
    key: booking.startedBy,
    session: booking.sessionId,
  }
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
  simulatedRequests: 0,
  simulatedUsd: 0,
}

const addBooking = (sum: UsageRow, booking: Booking): UsageRow => ({
  group: sum.group,
  requests: sum.requests + 1,
  tokens: addTokens(sum.tokens, booking.tokens),
  costUsd: sum.costUsd + (booking.costUsd ?? 0),
  units: sum.units + booking.units,
  highCostUsd: sum.highCostUsd + (booking.highCostUsd ?? booking.costUsd ?? 0),
  hasUnpriced: sum.hasUnpriced || booking.costUsd === null,
  hasEstimated: sum.hasEstimated || booking.tokens.isOutputEstimated === true,
  simulatedRequests: sum.simulatedRequests + (booking.isSimulated ? 1 : 0),
  simulatedUsd: sum.simulatedUsd + (booking.isSimulated ? (booking.costUsd ?? 0) : 0),
})

function compareGroups(groups: readonly UsageGroup[], one: UsageRow, other: UsageRow): number {
  for (const group of groups) {
    const [a = '', b = ''] = [one.group[group], other.group[group]]
    if (a !== b) return a < b ? -1 : 1
  }
  return 0
}
