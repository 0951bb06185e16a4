import { createHash } from 'node:crypto'
import { BudgetId } from '@quarterdeck/protocol'

/** A budget of a file has the same id after a restart, even with another limit. */
export const budgetIdOf = (parts: readonly string[]): BudgetId =>
  BudgetId.parse(`bud_${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 26)}`)
