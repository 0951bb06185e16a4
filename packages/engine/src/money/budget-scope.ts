// The budgets that a session's spending counts against, and their labels.
import { type AgentName, budgetLabel, type SessionId } from '@quarterdeck/protocol'
import type { Spender, SpentQuery, StoredBudget } from '../store/ports/money-store.ts'
import { periodKey, periodStart } from './budget-period.ts'

/** The spending account at this moment: looked up again on each judgement. */
export interface Account {
  readonly sessionId: SessionId
  readonly agentName: AgentName
  readonly owner: string
  /** The key that started the session, or its owner. */
  readonly startedBy: string
  readonly limitUsd: number
  readonly spentUsd: number
}

/** One limit for an account in the current period. */
export interface BudgetScope {
  /** Scopes with the same key share one sum. */
  readonly key: string
  readonly unit: StoredBudget['unit']
  readonly limit: number
  /** `session`, `agent coder per day`, `everybody per month`. */
  readonly label: string
  /** Absent for the session's own limit, whose sum is in the session state. */
  readonly budget?: StoredBudget
  readonly query?: SpentQuery
  /** The current day or month, or `total`: a warning is given once for each. */
  readonly period?: string
}

export function scopesOf(account: Account, budgets: readonly StoredBudget[], now: Date): readonly BudgetScope[] {
  const { sessionId, limitUsd: limit } = account
  const own: BudgetScope = { key: `session ${sessionId}`, unit: 'usd', limit, label: 'session' }
  return [own, ...budgets.flatMap((budget) => scopeOf(account, budget, now) ?? [])]
}

function scopeOf(account: Account, budget: StoredBudget, now: Date): BudgetScope | null {
  if (!appliesTo(budget, account)) return null
  const name = nameIn(account, budget.scope)
  return {
    // Without the period: a request that starts before midnight is booked after it.
    key: `${budget.id} ${name}`,
    unit: budget.unit,
    limit: budget.limit,
    label: budgetLabel({ ...budget, subject: name }),
    budget,
    query: { scope: budget.scope, subject: name, from: periodStart(budget.period, now) },
    period: periodKey(budget.period, now),
  }
}

/** Whether the budget counts, or could count, the spending of this account. */
export function appliesTo({ scope, subject }: Pick<StoredBudget, 'scope' | 'subject'>, spender: Spender): boolean {
  const name = nameIn(spender, scope)
  return name === undefined || subject === '*' || subject === name
}

/** The name that a budget of this scope uses for the account. */
export function nameIn<Of extends Spender>(spender: Of, scope: StoredBudget['scope']): Of[keyof Spender] | '' {
  return scope === 'all' ? '' : spender[nameFields[scope]]
}

const nameFields = { agent: 'agentName', user: 'owner', key: 'startedBy' } as const
