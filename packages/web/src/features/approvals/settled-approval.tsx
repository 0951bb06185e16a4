import { type ApprovalItem, visibleText } from '@quarterdeck/protocol'
import { Check, Clock, X } from 'lucide-react'
import { useNow } from '../../hooks/use-now.ts'
import { toolHead } from '../../state/tool-call.ts'
import { formatMoment } from '../../ui/format-time.ts'

interface SettledApprovalProps {
  readonly item: ApprovalItem
  readonly folder: string
  /** What is said where nobody has decided. */
  readonly undecided?: string
}

/** One muted line: what it was, who decided and when. */
export function SettledApproval({ item, folder, undecided = 'No longer open' }: SettledApprovalProps) {
  const now = useNow(60_000)
  const { toolName, toolInput } = item.request
  const head = toolHead(toolName, item.decision?.toolInput ?? toolInput, folder)
  const Icon = item.decision === null ? Clock : item.decision.decision === 'deny' ? X : Check
  return (
    <div className="ask settled">
      <div className="settled-line">
        <Icon className="icon s" aria-hidden="true" />
        <span className="cut grow">
          {head.name} <code>{visibleText(head.code || head.words)}</code>
        </span>
        <span className="end">
          {wordsOf(item, undecided)}
          {item.settledAt !== null && `, ${formatMoment(item.settledAt, now)}`}
        </span>
      </div>
      {item.decision?.note != null && <p className="muted">“{item.decision.note}”</p>}
    </div>
  )
}

function wordsOf(item: ApprovalItem, undecided: string): string {
  if (item.isExpired) return 'Expired unanswered, counted as a denial'
  if (item.decision === null) return undecided
  const { decision, edited, by } = item.decision
  if (decision === 'deny') return `Denied by ${by}`
  if (decision === 'allow_session') return `Allowed for this session by ${by}`
  return edited ? `Allowed after an edit by ${by}` : `Allowed by ${by}`
}
