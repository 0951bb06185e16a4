// Spending and its limits: the ledger, sums over it, and budgets.
import type { AgentName, BudgetId, SessionId, TokenCounts, UsageGroup } from '@quarterdeck/protocol'
import type { BegunAnswer, BegunAnswerId } from './begun-answer.ts'

/** One model request. `apiMessageId` is unique per session: a second booking has no effect. */
export interface Booking {
  readonly sessionId: SessionId
  readonly requestId: string
  readonly apiMessageId: string
  readonly model: string
  readonly servedModel: string
  readonly tokens: TokenCounts
  readonly costUsd: number | null
  readonly units: number
  /** The cost of the same tokens on the `high` model, if known. */
  readonly highCostUsd: number | null
  readonly source: 'gateway' | 'backend'
  readonly at: string
  /** Copied from the session at booking time, so that they are known after it is deleted. */
  readonly owner: string
  /** The key that started the session, or its owner. */
  readonly startedBy: string
  readonly agentName: AgentName
  /** Whether the simulator answered, so that no provider charged for it. */
  readonly isSimulated: boolean
}

export interface LedgerFilter {
  readonly model?: string
  readonly agent?: string
  readonly user?: string
  readonly session?: SessionId
}

export interface LedgerQuery {
  /** A time range of the ledger: from `from`, before `to`. */
  readonly from?: string
  readonly to?: string
  readonly groupBy: readonly UsageGroup[]
  readonly filter?: LedgerFilter
}

/** Contains only the requested groups. Days are UTC days. */
export interface LedgerRow {
  readonly group: Readonly<Partial<Record<UsageGroup, string>>>
  readonly requests: number
  readonly tokens: TokenCounts
  /** The sum of all bookings with a price. */
  readonly costUsd: number
  readonly units: number
  /** Bookings without a known value count with their own cost, which means no savings. */
  readonly highCostUsd: number
  readonly hasUnpriced: boolean
  readonly hasEstimated: boolean
  /** The simulated bookings and their part of `costUsd`, which no provider charged. */
  readonly simulatedRequests: number
  readonly simulatedUsd: number
}

export interface StoredBudget {
  readonly id: BudgetId
  /** `key`: the spending of sessions started with it. */
  readonly scope: 'agent' | 'user' | 'key' | 'all'
  /** The name of the agent, user or key, or `*` for each of them separately. Empty for `all`. */
  readonly subject: string
  readonly period: 'day' | 'month' | 'total'
  readonly unit: 'usd' | 'units'
  readonly limit: number
  readonly createdAt: string
  readonly createdBy: string
}

export interface SpentQuery {
  readonly scope: StoredBudget['scope']
  readonly subject: string
  /** Whole UTC days, from the day of this time on; everything if `null`. */
  readonly from: string | null
}

export interface Spent {
  /** Bookings with a price. */
  readonly usd: number
  readonly units: number
}

/** The spender, as far as it is known: an absent field matches anything. */
export interface Spender {
  readonly agentName?: string | undefined
  readonly owner?: string | undefined
  /** The key that started the session, or its owner. */
  readonly startedBy?: string | undefined
}

export interface MoneyStore {
  /** In booking order. Rows outlive their session. */
  ledger(sessionId: SessionId): Promise<readonly Booking[]>
  /**
   * Records an answer that has begun; its booking removes the record in the same transaction. Survives a crash of the
   * process, but not a power failure. Rejects an answer that could not be read back.
   */
  noteBegun(answer: BegunAnswer): Promise<void>
  /** Answers that have begun and are not booked. A record that cannot be read is left out and reported. */
  begunAnswers(onUnreadable?: (note: BegunAnswerId) => void): Promise<readonly BegunAnswer[]>
  dropBegun(answer: BegunAnswerId): Promise<void>
  /** Sums over the ledger, ordered by their groups. One row without groups; none without a booking. */
  usage(query: LedgerQuery): Promise<readonly LedgerRow[]>
  /** Takes constant time, whatever the size of the ledger: it is called before each model request. */
  spent(query: SpentQuery): Promise<Spent>
  /** The same for every agent, user or key with spending. */
  spentByEach(query: Omit<SpentQuery, 'subject'>): Promise<ReadonlyMap<string, Spent>>
  /** Oldest first. */
  listBudgets(): Promise<readonly StoredBudget[]>
  /**
   * Adds a budget or replaces the one with its id, with an audit entry. All of its warnings are due again: `append`
   * otherwise leaves a `BudgetWarning` out of the log if its period already has one.
   */
  saveBudget(budget: StoredBudget, by: string): Promise<void>
  /**
   * Like `saveBudget`, for the limit of an existing budget. Resolves with the changed budget; `null` if there is none.
   */
  changeBudget(id: BudgetId, limit: number, by: string): Promise<StoredBudget | null>
  /** False if it does not exist. */
  deleteBudget(id: BudgetId, by: string): Promise<boolean>
}
