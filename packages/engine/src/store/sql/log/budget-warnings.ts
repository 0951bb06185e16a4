// A budget warning is recorded once per period, in whichever session triggers it.
import type { BudgetId, EventDraft, EventOfType } from '@quarterdeck/protocol'

interface WarningMark {
  readonly budgetId: BudgetId
  /** Identifies the period and the subject of the warning. */
  readonly key: string
}

/** `null` for a session's own limit, which concerns only that session. */
export function warningMarkOf({ budget, budgetId, period }: EventOfType<'BudgetWarning'>['data']): WarningMark | null {
  return budgetId === undefined ? null : { budgetId, key: `${period} ${budget}` }
}

export const warningMarksOf = (drafts: readonly EventDraft[]): readonly WarningMark[] =>
  drafts.flatMap((draft) => (draft.type === 'BudgetWarning' ? (warningMarkOf(draft.data) ?? []) : []))

/** The drafts without warnings that are not due: already recorded, or of a deleted budget. */
export const withoutGivenWarnings = (
  drafts: readonly EventDraft[],
  isDue: (mark: WarningMark) => boolean,
): readonly EventDraft[] =>
  drafts.filter((draft) => {
    const mark = draft.type === 'BudgetWarning' ? warningMarkOf(draft.data) : null
    return mark === null || isDue(mark)
  })
