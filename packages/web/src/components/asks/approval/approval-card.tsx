import { type EffectClass, type JsonObject, visibleText } from '@quarterdeck/protocol'
import { TriangleAlert } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { askedInput, editableText, parseEdited } from '../../../stores/asks/asked-input.ts'
import type { SubmissionStatus } from '../../../stores/asks/submission-status.ts'
import { Button } from '../../controls/button.tsx'
import { NoteForm } from '../../controls/note-form.tsx'
import { Problem } from '../../controls/problem.tsx'
import { StateLabel } from '../../status/state-label.tsx'
import { SubmissionLine } from '../submission-line.tsx'
import { WaitingClock } from '../waiting-clock.tsx'
import { ApprovalActions, type ApprovalActionsProps } from './approval-actions.tsx'
import { AskedInputView } from './asked-input-view.tsx'

interface ApprovalCardProps extends Pick<ApprovalActionsProps, 'approval' | 'onDecide' | 'onStop'> {
  /** The asking agent: `coder › explorer`. */
  readonly who: string
  readonly folder: string
  readonly title?: ReactNode
  readonly submission: SubmissionStatus | undefined
}

export function ApprovalCard({ approval, who, folder, title, submission, onDecide, onStop }: ApprovalCardProps) {
  const [panel, setPanel] = useState<'actions' | 'edit' | 'deny'>('actions')
  const headId = useId()
  const { toolName, toolInput } = approval
  const asked = askedInput(toolName, toolInput)
  const why = asked.kind === 'command' ? asked.why : null
  const isSettled = submission !== undefined && submission.phase !== 'failed'
  const back = () => setPanel('actions')
  return (
    <article className="ask" aria-labelledby={headId} data-approval={approval.approvalId}>
      <header className="ask-head" id={headId}>
        <StateLabel state="waiting_approval" />
        <span className="text-2 ellipsis who">{who}</span>
        <EffectChips effects={approval.effects} />
        <WaitingClock since={approval.at} until={approval.expiresAt} then="Auto-denies" />
      </header>
      <div className="ask-body">
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
          <NoteForm
            label="Tell the agent why, or what to do instead (optional)"
            action="Deny"
            disabled={isSettled}
            onSend={(note) => onDecide({ decision: 'deny', ...note })}
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
        {submission !== undefined && <SubmissionLine submission={submission} />}
      </div>
    </article>
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

interface EditFormProps extends Pick<ApprovalActionsProps, 'onDecide' | 'disabled'> {
  readonly toolName: string
  readonly input: JsonObject
  readonly onBack: () => void
}

/** The call runs with exactly the text in this field when the user presses Allow. */
function EditForm({ toolName, input, onDecide, onBack, disabled }: EditFormProps) {
  const [text, setText] = useState(() => editableText(toolName, input))
  const [problem, setProblem] = useState<string | null>(null)
  const id = useId()

  function allow(): void {
    const edited = parseEdited(toolName, input, text)
    if ('problem' in edited) setProblem(edited.problem)
    else onDecide({ decision: 'allow', input: edited.input })
  }

  return (
    <div className="stack">
      <label htmlFor={id}>{toolName === 'Bash' ? 'Run this instead' : 'Run it with this input instead'}</label>
      <textarea
        // biome-ignore lint/a11y/noAutofocus: the user has just opened this form
        autoFocus
        id={id}
        className="field mono"
        rows={Math.min(16, Math.max(2, text.split('\n').length + 1))}
        value={text}
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
      />
      <Problem text={problem} />
      <div className="actions">
        <Button onClick={allow} disabled={disabled}>
          Allow this edit once
        </Button>
        <Button variant={['quiet']} onClick={onBack}>
          Back
        </Button>
      </div>
    </div>
  )
}
