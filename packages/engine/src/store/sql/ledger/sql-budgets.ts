import type { Selectable } from 'kysely'
import type { MoneyStore, StoredBudget } from '../../ports/money-store.ts'
import { lineAt } from '../audit/audit-lines.ts'
import { budgetEntry } from '../audit/change-entries.ts'
import type { StoreTables } from '../database/tables.ts'
import type { SqlDependencies } from '../sql-dependencies.ts'

type Budgets = Pick<MoneyStore, 'listBudgets' | 'saveBudget' | 'changeBudget' | 'deleteBudget'>

type BudgetDeps = Pick<SqlDependencies, 'db' | 'money' | 'commit' | 'addToChain' | 'clock'>

export function createSqlBudgets({ db, money, commit, addToChain, clock }: BudgetDeps): Budgets {
  return {
    async listBudgets() {
      const { rows } = await db.executeQuery(money.listBudgets())
      return rows.map(budgetOfRow)
    },
    saveBudget: (budget, by) =>
      commit(async (trx) => {
        const { id, ...row } = rowOfBudget(budget)
        await trx
          .insertInto('budgets')
          .values({ id, ...row })
          .onConflict((on) => on.column('id').doUpdateSet(row))
          .execute()
        await trx.deleteFrom('budget_warnings').where('budget_id', '=', id).execute()
        await addToChain(trx, [lineAt(clock, budgetEntry('budget.saved', budget, by))])
      }),
    changeBudget: (id, limit, by) =>
      commit(async (trx) => {
        const change = trx.updateTable('budgets').set({ amount: limit }).where('id', '=', id)
        const row = await change.returningAll().executeTakeFirst()
        if (row === undefined) return null
        const budget = budgetOfRow(row)
        await trx.deleteFrom('budget_warnings').where('budget_id', '=', id).execute()
        await addToChain(trx, [lineAt(clock, budgetEntry('budget.saved', budget, by))])
        return budget
      }),
    deleteBudget: (id, by) =>
      commit(async (trx) => {
        const row = await trx.selectFrom('budgets').selectAll().where('id', '=', id).executeTakeFirst()
        if (row === undefined) return false
        await trx.deleteFrom('budget_warnings').where('budget_id', '=', id).execute()
        await trx.deleteFrom('budgets').where('id', '=', id).execute()
        await addToChain(trx, [lineAt(clock, budgetEntry('budget.deleted', budgetOfRow(row), by))])
        return true
      }),
  }
}

export const rowOfBudget = ({ limit, createdAt, createdBy, ...budget }: StoredBudget) => ({
  ...budget,
  amount: limit,
  created_at: createdAt,
  created_by: createdBy,
})

const budgetOfRow = ({ amount, created_at, created_by, ...row }: Selectable<StoreTables['budgets']>): StoredBudget => ({
  ...row,
  limit: amount,
  createdAt: created_at,
  createdBy: created_by,
})
