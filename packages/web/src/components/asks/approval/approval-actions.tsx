import { type DecideApprovalBody, type OpenApproval, offeredRules, visibleText } from '@quarterdeck/protocol'
import { Pencil } from 'lucide-react'
import { Button } from '../../controls/button.tsx'
import { HoldButton } from '../../controls/hold-button.tsx'

interface ApprovalActionsProps {
  readonly approval: OpenApproval
  readonly disabled: boolean
  readonly onDecide: (body: DecideApprovalBody) => void
  readonly onEdit: () => void
  readonly onDeny: () => void
  readonly onStop: () => void
}

/**
 * All buttons are outlined, so that the design suggests no answer. An irreversible call needs a held button and offers
 * no session rule.
 */
export function ApprovalActions({ approval, disabled, onDecide, onEdit, onDeny, onStop }: ApprovalActionsProps) {
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
