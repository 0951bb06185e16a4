// The cost of a session by model and by agent. The provider's message id assigns a request to its agent.
import type { AgentPath } from '../events/envelope.ts'
import type { EventOfType, SessionEvent } from '../events/session-event.ts'
import { addTokens, type TokenCounts } from '../models/token-counts.ts'

export interface CostRow {
  readonly requests: number
  readonly tokens: TokenCounts
  readonly costUsd: number
  readonly hasUnpricedUsage: boolean
  readonly units: number
  /** The cost of the same tokens on the `high` model, minus the actual cost, of requests with a price. */
  readonly savedUsd: number
}

export interface Costs {
  readonly total: CostRow
  readonly byModel: ReadonlyMap<string, CostRow>
  /** Keyed by `agentKey`; the lead is the empty key. */
  readonly byAgent: ReadonlyMap<string, CostRow>
  readonly agentOfMessage: ReadonlyMap<string, string>
  /** Booked before the message that names its agent arrived. */
  readonly unplaced: ReadonlyMap<string, EventOfType<'UsageRecorded'>['data']>
}

export const agentKey = (agent: AgentPath): string => (agent === null ? '' : agent.join('/'))

const emptyRow: CostRow = {
  requests: 0,
  tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  costUsd: 0,
  hasUnpricedUsage: false,
  units: 0,
  savedUsd: 0,
}

export const emptyCosts: Costs = {
  total: emptyRow,
  byModel: new Map(),
  byAgent: new Map(),
  agentOfMessage: new Map(),
  unplaced: new Map(),
}

export function foldCosts(costs: Costs, events: readonly SessionEvent[]): Costs {
  if (!events.some((event) => event.type === 'UsageRecorded' || messageIdOf(event) !== null)) return costs
  let { total } = costs
  const byModel = new Map(costs.byModel)
  const byAgent = new Map(costs.byAgent)
  const agentOfMessage = new Map(costs.agentOfMessage)
  const unplaced = new Map(costs.unplaced)

  const book = (usage: EventOfType<'UsageRecorded'>['data'], key: string) =>
    byAgent.set(key, add(byAgent.get(key) ?? emptyRow, usage))

  for (const event of events) {
    if (event.type === 'UsageRecorded') {
      total = add(total, event.data)
      byModel.set(event.data.model, add(byModel.get(event.data.model) ?? emptyRow, event.data))
      const key = agentOfMessage.get(event.data.apiMessageId)
      if (key === undefined) unplaced.set(event.data.apiMessageId, event.data)
      else book(event.data, key)
      continue
    }
    const messageId = messageIdOf(event)
    if (messageId === null || agentOfMessage.has(messageId)) continue
    agentOfMessage.set(messageId, agentKey(event.agent))
    const waiting = unplaced.get(messageId)
    if (waiting === undefined) continue
    unplaced.delete(messageId)
    book(waiting, agentKey(event.agent))
  }
  return { total, byModel, byAgent, agentOfMessage, unplaced }
}

function messageIdOf(event: SessionEvent): string | null {
  switch (event.type) {
    case 'AgentThought':
    case 'AgentThinking':
    case 'AgentInvokedTool':
    case 'SubagentThought':
      return event.data.messageId
    default:
      return null
  }
}

const add = (row: CostRow, usage: EventOfType<'UsageRecorded'>['data']): CostRow => ({
  requests: row.requests + 1,
  tokens: addTokens(row.tokens, usage.tokens),
  costUsd: row.costUsd + (usage.costUsd ?? 0),
  hasUnpricedUsage: row.hasUnpricedUsage || usage.costUsd === null,
  units: row.units + (usage.units ?? 0),
  savedUsd: row.savedUsd + savedBy(usage),
})

/** Unknown if one of the two prices is unknown. */
const savedBy = ({ costUsd, highCostUsd }: EventOfType<'UsageRecorded'>['data']): number =>
  costUsd === null || highCostUsd == null ? 0 : highCostUsd - costUsd
