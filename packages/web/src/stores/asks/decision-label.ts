import type { ApprovalItem } from '@quarterdeck/protocol'

/** `undecided` is the label of an approval without a decision. */
export function decisionLabel(item: ApprovalItem, undecided = 'No longer open'): string {
  if (item.isExpired) return 'Expired unanswered, counted as a denial'
  if (item.decision === null) return undecided
  const { decision, edited, by } = item.decision
  if (decision === 'deny') return `Denied by ${by}`
  if (decision === 'allow_session') return `Allowed for this session by ${by}`
  return edited ? `Allowed after an edit by ${by}` : `Allowed by ${by}`
}
