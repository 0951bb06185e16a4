import {
  type DecideApprovalBody,
  type EffectClass,
  type JsonObject,
  type OpenApproval,
  offeredRules,
  visibleText,
} from '@quarterdeck/protocol'
import { Pencil, TriangleAlert } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { askedInput, editableText, parseEdited } from '../../../stores/asks/asked-input.ts'
import type { SubmissionStatus } from '../../../stores/asks/submission-status.ts'
import { Button } from '../../controls/button.tsx'
import { HoldButton } from '../../controls/hold-button.tsx'
import { noteOf, TextForm } from '../../controls/text-form.tsx'
import { AskCard } from '../ask-card.tsx'
import { AskedInputView } from './asked-input-view.tsx'

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
        <dd>{approval.rule}</dd>
      </dl>
      {approval.insteadOf !== null && (
        <div className="stack">
          <p>You approved a different input before:</p>
          <AskedInputView toolName={toolName} input={approval.insteadOf.toolInput} folder={folder} />
        </div>
      )}
      {panel === 'edit' && (
        <EditForm toolName={toolName} input={toolInput} onDecide={onDecide} onBack={back} disabled={isSettled} />
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

interface ApprovalActionsProps extends Pick<ApprovalCardProps, 'approval' | 'onDecide' | 'onStop'> {
  readonly disabled: boolean
  readonly onEdit: () => void
  readonly onDeny: () => void
}

/**
 * All buttons are outlined, so that the design suggests no answer. An irreversible call needs a held button and offers
 * no session rule.
 */
function ApprovalActions({ approval, disabled, onDecide, onEdit, onDeny, onStop }: ApprovalActionsProps) {
  const isIrreversible = approval.effects.includes('irreversible')
  const allowOnce = () => onDecide({ decision: 'allow' })
  const rules = offeredRules(approval)
  return (
    <div className="actions">
      {isIrreversible ? (
        <HoldButton disabled={disabled} onHeld={allowOnce}>
          Hold to allow once
        </HoldButton>
      ) : (
        <>
          <Button disabled={disabled} onClick={allowOnce}>
            Allow once
          </Button>
          {rules.map(({ rule, scope, label }) => (
            <Button
              key={scope}
              variant={['wide']}
              disabled={disabled}
              title="For the rest of this session"
              onClick={() => onDecide({ decision: 'allow_session', ...(scope === 'call' ? {} : { rule }) })}
            >
              Allow {rules.length === 1 ? <code>{visibleText(label)}</code> : visibleText(label)} this session
            </Button>
          ))}
        </>
      )}
      <Button disabled={disabled} onClick={onEdit}>
        <Pencil className="icon s" aria-hidden="true" />
        Edit
      </Button>
      <Button disabled={disabled} onClick={onDeny}>
        Deny
      </Button>
      <Button variant={['quiet', 'danger', 'end']} disabled={disabled} onClick={onStop}>
        Stop
      </Button>
    </div>
  )
}

interface EditFormProps extends Pick<ApprovalCardProps, 'onDecide'> {
  readonly disabled: boolean
  readonly toolName: string
  readonly input: JsonObject
  readonly onBack: () => void
}

/** The call runs with exactly the text in this field when the user presses Allow. */
function EditForm({ toolName, input, onDecide, onBack, disabled }: EditFormProps) {
  const [problem, setProblem] = useState<string | null>(null)

  function allow(text: string): void {
    const edited = parseEdited(toolName, input, text)
    if ('problem' in edited) setProblem(edited.problem)
    else onDecide({ decision: 'allow', input: edited.input })
  }

  return (
    <TextForm
      label={toolName === 'Bash' ? 'Run this instead' : 'Run it with this input instead'}
      action="Allow this edit once"
      initial={editableText(toolName, input)}
      isCode
      problem={problem}
      disabled={disabled}
      onSend={allow}
      onBack={onBack}
    />
  )
}
