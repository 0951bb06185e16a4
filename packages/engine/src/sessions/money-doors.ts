// The doors of usage and budgets.
import {
  BudgetBody,
  type BudgetId,
  type Budget as BudgetReply,
  errorReasons,
  QuarterdeckError,
  type SessionState,
  type UserMessageId,
} from '@quarterdeck/protocol'
import { periodStart } from '../money/budget-scope.ts'
import type { MoneyDesk } from '../money/money-desk.ts'
import type { Clock, EventStore, Ids } from '../store/event-store.ts'
import type { Budget } from '../store/money-store.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { LiveSession } from './live-session.ts'
import type { MoneyDoors } from './session-service.ts'
import { createUsageDoor } from './usage-door.ts'

export interface MoneyDoorsOptions {
  readonly store: EventStore
  readonly clock: Clock
  readonly ids: Ids
  readonly logger: Logger
  readonly money: MoneyDesk
  readonly coordinator: {
    open(sessionId: SessionState['sessionId']): Promise<LiveSession>
    kick(live: LiveSession): void
  }
}

export function createMoneyDoors(options: MoneyDoorsOptions): MoneyDoors {
  const { store, clock, ids, logger, money, coordinator } = options

  async function findBudget(budgetId: BudgetId): Promise<Budget> {
    const found = (await store.listBudgets()).find(({ id }) => id === budgetId)
    if (found === undefined) throw new QuarterdeckError('budget.not-found', `there is no budget ${budgetId}`)
    return found
  }

  async function withSpent(budget: Budget): Promise<BudgetReply> {
    const { id, scope, subject, period, unit, limit, createdBy, createdAt } = budget
    const from = periodStart(period, clock.now())
    const sums =
      subject === '*'
        ? [...(await store.spentByEach({ scope, from })).values()]
        : [await store.spent({ scope, subject, from })]
    return {
      budgetId: id,
      subject: scope === 'all' ? null : subject,
      spent: Math.max(0, ...sums.map((sum) => sum[unit])),
      ...{ scope, period, unit, limit, createdBy, createdAt },
    }
  }

  /** Sessions that another budget than their own limit stopped go on when all of them have something left again. */
  async function goOn(by: string): Promise<void> {
    money.limitsChanged()
    const stopped = await store.listByStatus(['stopped_budget'])
    for (const { sessionId } of stopped.filter(isStoppedByOther)) {
      try {
        const live = await coordinator.open(sessionId)
        if ((await money.stopOf(live.writer)) !== null) continue
        const goOnMessageId = ids.next('umsg') as UserMessageId // ids are made here, so the brand is too
        await live.writer.apply({ type: 'session.resume', goOnMessageId, by })
        coordinator.kick(live)
      } catch (error) {
        // Held elsewhere, or it has gone on or closed meanwhile: the others still go on.
        logger.warn({ sessionId, error }, 'a session could not go on after its budget was raised')
      }
    }
  }

  return {
    usage: createUsageDoor(store),
    budgets: async () => Promise.all((await store.listBudgets()).map(withSpent)),

    async createBudget(input, by) {
      const { scope, subject = '', period, unit, limit } = BudgetBody.parse(input)
      const id = ids.next('bud') as BudgetId // ids are made here, so the brand is too
      const budget = { id, scope, subject, period, unit, limit, createdAt: clock.now().toISOString(), createdBy: by }
      await store.saveBudget(budget, by)
      money.limitsChanged()
      return withSpent(budget)
    },

    async changeBudget(budgetId, limit, by) {
      const budget = { ...(await findBudget(budgetId)), limit }
      await store.saveBudget(budget, by)
      await goOn(by)
      return withSpent(budget)
    },

    async removeBudget(budgetId, by) {
      if (!(await store.deleteBudget(budgetId, by))) await findBudget(budgetId)
      await goOn(by)
    },
  }
}

/** Its own limit is raised in the session itself. */
const isStoppedByOther = ({ statusReason }: SessionState): boolean =>
  statusReason !== null && statusReason !== errorReasons.budget
