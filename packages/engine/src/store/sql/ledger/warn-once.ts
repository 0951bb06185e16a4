// A budget's warning is given once for each period, whichever session is the one to give it.
import type { BudgetId, EventDraft, EventOfType } from '@quarterdeck/protocol'

export interface WarningMark {
  readonly budgetId: BudgetId
  /** Names the period, and whom the warning is about. */
  readonly key: string
}

/** `null` for a session's own limit, which is nobody else's. */
export function warningMarkOf({ budget, budgetId, period }: EventOfType<'BudgetWarning'>['data']): WarningMark | null {
  return budgetId === undefined ? null : { budgetId, key: `${period} ${budget}` }
}

export const warningMarksOf = (drafts: readonly EventDraft[]): readonly WarningMark[] =>
  drafts.flatMap((draft) => (draft.type === 'BudgetWarning' ? (warningMarkOf(draft.data) ?? []) : []))

/** The drafts without warnings that are not due: given before, or of a budget that is gone. */
export const withoutGivenWarnings = (
  drafts: readonly EventDraft[],
  isDue: (mark: WarningMark) => boolean,
): readonly EventDraft[] =>
  drafts.filter((draft) => {
    const mark = draft.type === 'BudgetWarning' ? warningMarkOf(draft.data) : null
    return mark === null || isDue(mark)
  })
