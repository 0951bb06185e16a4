// What was spent and what may be: the ledger, sums over it, and budgets.
import type { AgentName, BudgetId, SessionId, TokenCounts } from '@quarterdeck/protocol'
import type { BegunAnswer, BegunAnswerId } from './begun-answer.ts'

/** One model request. `apiMessageId` is unique per session: a second booking of it changes nothing. */
export interface Booking {
  readonly sessionId: SessionId
  readonly requestId: string
  readonly apiMessageId: string
  readonly model: string
  readonly servedModel: string
  readonly tokens: TokenCounts
  readonly costUsd: number | null
  readonly units: number
  /** What the same tokens would have cost on the `high` model, where that is known. */
  readonly highCostUsd: number | null
  readonly source: 'gateway' | 'backend'
  readonly at: string
  /** The session's at the time of the booking: they are known after it is deleted too. */
  readonly owner: string
  /** The key that started the session, or its owner. */
  readonly startedBy: string
  readonly agentName: AgentName
  /** The simulator answered the session's requests: nobody was charged. */
  readonly isSimulated: boolean
}

export type UsageGroup = 'day' | 'model' | 'agent' | 'user' | 'key' | 'session'

export interface UsageFilter {
  readonly model?: string
  readonly agent?: string
  readonly user?: string
  readonly session?: SessionId
}

export interface UsageQuery {
  /** Times as in the ledger: from this one on, and before that one. */
  readonly from?: string
  readonly to?: string
  readonly groupBy: readonly UsageGroup[]
  readonly filter?: UsageFilter
}

/** Only the groups that were asked for are there. Days are UTC days. */
export interface UsageRow {
  readonly group: Readonly<Partial<Record<UsageGroup, string>>>
  readonly requests: number
  readonly tokens: TokenCounts
  /** The sum of what has a price. */
  readonly costUsd: number
  readonly units: number
  /** What is not known of it is the cost itself: no saving. */
  readonly highCostUsd: number
  readonly hasUnpriced: boolean
  readonly hasEstimated: boolean
  /** Those that the simulator answered, and what `costUsd` has of them: nobody was charged for it. */
  readonly simulatedRequests: number
  readonly simulatedUsd: number
}

export interface Budget {
  readonly id: BudgetId
  /** `key`: what sessions spend that were started with it. */
  readonly scope: 'agent' | 'user' | 'key' | 'all'
  /** The agent's, the user's or the key's name, or `*`: each of them for itself. Empty for `all`. */
  readonly subject: string
  readonly period: 'day' | 'month' | 'total'
  readonly unit: 'usd' | 'units'
  readonly limit: number
  readonly createdAt: string
  readonly createdBy: string
}

export interface SpentQuery {
  readonly scope: Budget['scope']
  readonly subject: string
  /** Whole UTC days, from the day of this time on; everything ever spent if `null`. */
  readonly from: string | null
}

export interface Spent {
  /** Of what has a price. */
  readonly usd: number
  readonly units: number
}

/** Who spends, as far as it is known: what is not said can be anybody. */
export interface Spender {
  readonly agentName?: string | undefined
  readonly owner?: string | undefined
  /** The key that started the session, or its owner. */
  readonly startedBy?: string | undefined
}

export interface MoneyStore {
  /** In the order they were booked. Rows outlive their session. */
  ledger(sessionId: SessionId): Promise<readonly Booking[]>
  /**
   * Notes an answer that has begun; its booking takes the note away in the same transaction. Survives the death of the
   * process, not a power cut. Rejects what could not be read back.
   */
  noteBegun(answer: BegunAnswer): Promise<void>
  /** Answers that have begun and are not booked. A note that nobody can read is left out, and told of. */
  begunAnswers(onUnreadable?: (note: BegunAnswerId) => void): Promise<readonly BegunAnswer[]>
  dropBegun(answer: BegunAnswerId): Promise<void>
  /** Sums over the ledger, ordered by their groups; one row of everything without groups, none without a booking. */
  usage(query: UsageQuery): Promise<readonly UsageRow[]>
  /** Costs the same however long the ledger is: asked before each model request. */
  spent(query: SpentQuery): Promise<Spent>
  /** The same for every agent, user or key that spent anything. */
  spentByEach(query: Omit<SpentQuery, 'subject'>): Promise<ReadonlyMap<string, Spent>>
  /** Oldest first. */
  listBudgets(): Promise<readonly Budget[]>
  /**
   * Adds a budget or replaces the one with its id, and writes who did it into the audit chain. All of its warnings are
   * due again: `append` leaves a `BudgetWarning` out of the log where that of its period was given before.
   */
  saveBudget(budget: Budget, by: string): Promise<void>
  /** As `saveBudget`, for the limit of a budget that is there. Resolves with how it is then; `null` if there is none. */
  changeBudget(id: BudgetId, limit: number, by: string): Promise<Budget | null>
  /** False if there is none. */
  deleteBudget(id: BudgetId, by: string): Promise<boolean>
}
