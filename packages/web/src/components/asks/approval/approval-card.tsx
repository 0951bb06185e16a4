import { type DecideApprovalBody, type EffectClass, type OpenApproval, visibleText } from '@quarterdeck/protocol'
import { TriangleAlert } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { askedInput } from '../../../stores/asks/asked-input.ts'
import type { SubmissionStatus } from '../../../stores/asks/submission-status.ts'
import { noteOf, TextForm } from '../../controls/text-form.tsx'
import { AskCard } from '../ask-card.tsx'
import { ApprovalActions } from './approval-actions.tsx'
import { AskedInputView } from './asked-input-view.tsx'
import { EditInputForm } from './edit-input-form.tsx'

interface ApprovalCardProps {
  readonly approval: OpenApproval
  /** The asking agent: `coder › explorer`. */
  readonly who: string
  readonly folder: string
  readonly title?: ReactNode
  readonly submission: SubmissionStatus | undefined
  readonly onDecide: (body: DecideApprovalBody) => void
  readonly onStop: () => void
}

export function ApprovalCard({ approval, who, folder, title, submission, onDecide, onStop }: ApprovalCardProps) {
  const [panel, setPanel] = useState<'actions' | 'edit' | 'deny'>('actions')
  const { toolName, toolInput } = approval
  const asked = askedInput(toolName, toolInput)
  const why = asked.kind === 'command' ? asked.why : null
  const isSettled = submission !== undefined && submission.phase !== 'failed'
  const back = () => setPanel('actions')
  return (
    <AskCard
      state="waiting_approval"
      who={who}
      facts={<EffectChips effects={approval.effects} />}
      since={approval.at}
      until={approval.expiresAt}
      then="Auto-denies"
      submission={submission}
      data={{ 'data-approval': approval.approvalId }}
    >
      {title}
      <AskedInputView toolName={toolName} input={toolInput} folder={folder} />
      <dl className="facts-grid">
        {why !== null && <dt>Why</dt>}
        {why !== null && <dd>{visibleText(why)}</dd>}
        <dt>Rule</dt>
        <dd>{visibleText(approval.rule)}</dd>
      </dl>
      {approval.insteadOf !== null && (
        <div className="stack">
          <p>You approved a different input before:</p>
          <AskedInputView toolName={toolName} input={approval.insteadOf.toolInput} folder={folder} />
        </div>
      )}
      {panel === 'edit' && (
        <EditInputForm toolName={toolName} input={toolInput} onDecide={onDecide} onBack={back} disabled={isSettled} />
      )}
      {panel === 'deny' && (
        <TextForm
          label="Tell the agent why, or what to do instead (optional)"
          action="Deny"
          disabled={isSettled}
          onSend={(text) => onDecide({ decision: 'deny', ...noteOf(text) })}
          onBack={back}
        />
      )}
      {panel === 'actions' && (
        <ApprovalActions
          approval={approval}
          disabled={isSettled}
          onDecide={onDecide}
          onEdit={() => setPanel('edit')}
          onDeny={() => setPanel('deny')}
          onStop={onStop}
        />
      )}
    </AskCard>
  )
}

const effectLabels: Readonly<Record<EffectClass, string>> = {
  read: 'Reads',
  write: 'Writes',
  network: 'Network',
  spend: 'Spends money',
  irreversible: 'Irreversible',
}

function EffectChips({ effects }: { readonly effects: readonly EffectClass[] }) {
  return effects.map((effect) => (
    <span key={effect} className={effect === 'irreversible' ? 'chip failed' : 'chip'}>
      {effect === 'irreversible' && <TriangleAlert className="icon s" aria-hidden="true" />}
      {effectLabels[effect]}
    </span>
  ))
}
