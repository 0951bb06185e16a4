import { z } from 'zod'
import { TokenCounts } from '../models/token-counts.ts'
import { BudgetId, SessionId } from '../values/ids.ts'
import { operation } from './operation.ts'
import { plainText } from './plain-text.ts'

export const UsageGroup = z.enum(['day', 'model', 'agent', 'user', 'key', 'session'])
export type UsageGroup = z.infer<typeof UsageGroup>

function groupList(): RegExp {
  const group = `(${UsageGroup.options.join('|')})`
  return new RegExp(`^${group}(,${group})*$`)
}

export const UsageQuery = z.strictObject({
  /** One or several groups, separated by commas. */
  by: z
    .string()
    .regex(groupList(), `must be one or more of ${UsageGroup.options.join(', ')}, separated by commas`)
    .default('day'),
  from: z.iso.datetime({ offset: true }).optional(),
  to: z.iso.datetime({ offset: true }).optional(),
  agent: plainText(100).optional(),
  user: plainText(200).optional(),
  model: plainText(200).optional(),
  session: SessionId.optional(),
})
export type UsageQuery = z.input<typeof UsageQuery>

/** The names of the group, and its usage. Days are in UTC. */
export const UsageRow = z
  .object({
    day: z.string().optional(),
    model: z.string().optional(),
    agent: z.string().optional(),
    user: z.string().optional(),
    /** The key that started the session, or its owner. */
    key: z.string().optional(),
    session: z.string().optional(),
    requests: z.int(),
    tokens: TokenCounts,
    /** Of requests with a price. */
    costUsd: z.number(),
    units: z.number(),
    /** The cost of the same tokens on the `high` model, minus the actual cost. */
    savedUsd: z.number(),
    hasUnpricedUsage: z.boolean(),
    /** Requests that the local simulator answered. */
    simulatedRequests: z.int(),
    /** The part of `costUsd` for simulated requests, which is not charged. */
    simulatedUsd: z.number(),
  })
  .meta({ id: 'UsageRow' })
export type UsageRow = z.infer<typeof UsageRow>

const UsageReport = z.object({ rows: z.array(UsageRow), total: UsageRow }).meta({ id: 'UsageReport' })

/** Days and months are in UTC. */
export const BudgetPeriod = z.enum(['day', 'month', 'total'])
export type BudgetPeriod = z.infer<typeof BudgetPeriod>

export const BudgetUnit = z.enum(['usd', 'units'])
export type BudgetUnit = z.infer<typeof BudgetUnit>

/**
 * The amount that agents, users, sessions started with a key, or all together may spend in a day, a month or in total.
 */
export const BudgetBody = z
  .strictObject({
    scope: z.enum(['agent', 'user', 'key', 'all']),
    /** The name of the agent, user or key; `*` means each of them separately. Absent for `all`. */
    subject: plainText(200).min(1).optional(),
    period: BudgetPeriod,
    unit: BudgetUnit.default('usd'),
    limit: z.number().positive(),
  })
  .refine(
    (body) => (body.scope === 'all') === (body.subject === undefined),
    'a budget of agents, users or keys needs a subject',
  )
  .meta({ id: 'BudgetBody' })
export type BudgetBody = z.input<typeof BudgetBody>

export const Budget = z
  .object({
    budgetId: BudgetId,
    scope: z.enum(['agent', 'user', 'key', 'all']),
    subject: z.string().nullable(),
    period: BudgetPeriod,
    unit: BudgetUnit,
    limit: z.number(),
    /** In the current period; for a `*` budget the highest amount of any subject. */
    spent: z.number(),
    createdBy: z.string(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Budget' })
export type Budget = z.infer<typeof Budget>

export const BudgetList = z.object({ budgets: z.array(Budget) }).meta({ id: 'BudgetList' })
export type BudgetList = z.infer<typeof BudgetList>

const ChangeBudgetBody = z.strictObject({ limit: z.number().positive() }).meta({ id: 'ChangeBudget' })

const RemovedBudget = z.object({ budgetId: BudgetId }).meta({ id: 'RemovedBudget' })

export const moneyOperations = {
  usage: operation({
    method: 'get',
    path: '/v1/usage',
    rpc: 'usage.get',
    summary: 'Report usage and cost by day, model, agent, user, key or session',
    permission: 'read',
    belongsTo: { owner: 'user' },
    hasLargeReply: true,
    query: UsageQuery,
    reply: UsageReport,
    errors: [],
  }),
  /** The budgets that apply to the caller; for admins, all. Of a per-subject budget (`*`): the caller's own spending. */
  listBudgets: operation({
    method: 'get',
    path: '/v1/budgets',
    rpc: 'budget.list',
    summary: 'List the budgets of agents, users, keys and periods, with the spent amounts',
    permission: 'read',
    belongsTo: 'implementation',
    reply: BudgetList,
    errors: [],
  }),
  createBudget: operation({
    method: 'post',
    path: '/v1/budgets',
    rpc: 'budget.create',
    summary: 'Set a budget; requests that exceed it are refused and their sessions stop',
    status: 201,
    permission: 'manage',
    belongsTo: 'none',
    body: BudgetBody,
    reply: Budget,
    errors: [],
  }),
  changeBudget: operation({
    method: 'patch',
    path: '/v1/budgets/{budgetId}',
    rpc: 'budget.change',
    summary: 'Raise or lower a budget; stopped sessions continue when they fit again',
    permission: 'manage',
    belongsTo: 'none',
    body: ChangeBudgetBody,
    reply: Budget,
    errors: ['budget.not-found'],
  }),
  removeBudget: operation({
    method: 'delete',
    path: '/v1/budgets/{budgetId}',
    rpc: 'budget.remove',
    summary: 'Remove a budget',
    permission: 'manage',
    belongsTo: 'none',
    reply: RemovedBudget,
    errors: ['budget.not-found'],
  }),
}

/** `agent coder per day`, `each user per month`, `everybody`. */
export function budgetLabel({ scope, subject, period }: Pick<Budget, 'scope' | 'subject' | 'period'>): string {
  const who = scope === 'all' ? 'everybody' : subject === '*' ? `each ${scope}` : `${scope} ${subject ?? ''}`
  return period === 'total' ? who : `${who} per ${period}`
}
