import { type ApprovalItem, visibleText } from '@quarterdeck/protocol'
import { Check, Clock, X } from 'lucide-react'
import { useNow } from '../../../hooks/use-now.ts'
import { decisionLabel } from '../../../stores/asks/decision-label.ts'
import { toolSummary } from '../../../stores/transcript/tool-call.ts'
import { formatMoment } from '../../format/format-time.ts'

interface SettledApprovalProps {
  readonly item: ApprovalItem
  readonly folder: string
  /** The label of an approval without a decision. */
  readonly undecided?: string | undefined
}

/** One muted line with the call, who decided, and when. */
export function SettledApproval({ item, folder, undecided }: SettledApprovalProps) {
  const now = useNow(60_000)
  const { toolName, toolInput } = item.request
  const head = toolSummary(toolName, item.decision?.toolInput ?? toolInput, folder)
  const Icon = item.decision === null ? Clock : item.decision.decision === 'deny' ? X : Check
  return (
    <div className="ask settled">
      <div className="row settled-line">
        <Icon className="icon s" aria-hidden="true" />
        <span className="ellipsis grow">
          {head.name} <code>{visibleText(head.code || head.detail)}</code>
        </span>
        <span className="end">
          {decisionLabel(item, undecided)}
          {item.settledAt !== null && `, ${formatMoment(item.settledAt, now)}`}
        </span>
      </div>
      {item.decision?.note != null && <p className="muted">“{item.decision.note}”</p>}
    </div>
  )
}
