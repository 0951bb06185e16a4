// The model chosen for each turn, and the budget warnings of a session.
import type { EventOfType, SessionEvent } from '@quarterdeck/protocol'

interface ChosenModel {
  readonly seq: number
  readonly model: string
  readonly reason: string
}

export interface BudgetNote {
  readonly seq: number
  readonly warning: EventOfType<'BudgetWarning'>['data']
}

export interface SpendingProjection {
  /** One for each turn with an automatically chosen model. */
  readonly choices: readonly ChosenModel[]
  readonly warnings: readonly BudgetNote[]
}

export const emptySpending: SpendingProjection = { choices: [], warnings: [] }

export function foldSpending(before: SpendingProjection, events: readonly SessionEvent[]): SpendingProjection {
  const choices = events.flatMap((event) =>
    event.type === 'ModelChosen' ? [{ seq: event.seq, model: event.data.model, reason: event.data.reason }] : [],
  )
  const warnings = events.flatMap((event) =>
    event.type === 'BudgetWarning' ? [{ seq: event.seq, warning: event.data }] : [],
  )
  if (choices.length === 0 && warnings.length === 0) return before
  return { choices: [...before.choices, ...choices], warnings: [...before.warnings, ...warnings] }
}
