import { moneyRoutes } from '@quarterdeck/protocol'
import { type Mount, mountRoute } from '../routing/mount-route.ts'

export function mountMoneyRoutes(mount: Mount): void {
  mountRoute(mount, moneyRoutes.usage, ({ sessions, query }) => sessions.usage(query))
  mountRoute(mount, moneyRoutes.budgets, ({ sessions }) => sessions.listBudgets())
  mountRoute(mount, moneyRoutes.createBudget, ({ sessions, body, by }) => sessions.createBudget(body, by))
  mountRoute(mount, moneyRoutes.changeBudget, ({ sessions, params, body, by }) =>
    sessions.changeBudget(params.budgetId, { limit: body.limit }, by),
  )
  mountRoute(mount, moneyRoutes.removeBudget, async ({ sessions, params, by }) => {
    await sessions.removeBudget(params.budgetId, by)
    return { budgetId: params.budgetId }
  })
}
