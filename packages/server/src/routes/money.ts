import type { SessionService } from '@quarterdeck/engine'
import { moneyRoutes } from '@quarterdeck/protocol'
import { type Mount, mountRoute } from './mount-route.ts'

export function mountMoneyRoutes(mount: Mount, sessions: SessionService): void {
  mountRoute(mount, moneyRoutes.usage, ({ query }) => sessions.usage(query))
  mountRoute(mount, moneyRoutes.budgets, async () => ({ budgets: [...(await sessions.budgets())] }))
  mountRoute(mount, moneyRoutes.createBudget, ({ body, by }) => sessions.createBudget(body, by))
  mountRoute(mount, moneyRoutes.changeBudget, ({ params, body, by }) =>
    sessions.changeBudget(params.budgetId, body.limit, by),
  )
  mountRoute(mount, moneyRoutes.removeBudget, async ({ params, by }) => {
    await sessions.removeBudget(params.budgetId, by)
    return { budgetId: params.budgetId }
  })
}
