import type { ApprovalId, QuarterdeckError } from '@quarterdeck/protocol'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useAction } from '../../hooks/use-action.ts'
import { useNow } from '../../hooks/use-now.ts'
import { useStore } from '../../hooks/use-store.ts'
import { useWorkbench } from '../../hooks/use-workbench.ts'
import type { WaitingApproval } from '../../state/approvals-store.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorCard } from '../../ui/error-card.tsx'
import { formatAge } from '../../ui/format-time.ts'
import { StateGlyph } from '../../ui/state-glyph.tsx'
import { ApprovalCard } from './approval-card.tsx'

/** Oldest first. The oldest is open; the others open when asked, so that nothing is decided on half a sentence. */
export function ApprovalsInbox() {
  const { approvals: store, client } = useWorkbench()
  const { approvals, verdicts } = useStore(store)
  const stopping = useAction()
  const [opened, setOpened] = useState<ReadonlySet<ApprovalId>>(new Set())

  async function stop(approval: WaitingApproval): Promise<void> {
    await stopping.run(() => client.interrupt(approval.sessionId))
    await store.refresh()
  }

  const items = (approvals ?? []).map((approval, place) =>
    place === 0 || opened.has(approval.approvalId) ? (
      <ApprovalCard
        key={approval.approvalId}
        approval={approval}
        who={whoAsks(approval)}
        folder=""
        title={<Title approval={approval} />}
        verdict={verdicts.get(approval.approvalId)}
        onDecide={(body) => void store.decide(approval.approvalId, body)}
        onStop={() => void stop(approval)}
      />
    ) : (
      <ClosedItem
        key={approval.approvalId}
        approval={approval}
        onOpen={() => setOpened(new Set([...opened, approval.approvalId]))}
      />
    ),
  )
  return (
    <>
      {stopping.failure !== null && !wasFaster(stopping.failure) && (
        <ErrorCard what="The session was not stopped" detail={stopping.failure.message} />
      )}
      {items}
    </>
  )
}

/** Somebody else stopped or closed it before: the list shows that. */
const wasFaster = ({ code }: QuarterdeckError): boolean =>
  ['session.not-running', 'session.busy', 'session.closed'].includes(code)

const whoAsks = ({ agentName, agent }: WaitingApproval): string =>
  agent === null ? agentName : `${agentName} › subagent`

function Title({ approval }: { readonly approval: WaitingApproval }) {
  return (
    <div className="row">
      <Link className="title cut" to="/sessions/$sessionId" params={{ sessionId: approval.sessionId }}>
        {approval.title || approval.agentName}
      </Link>
      <span className="grow" />
      <Link className="link" to="/sessions/$sessionId" params={{ sessionId: approval.sessionId }}>
        Open session
      </Link>
    </div>
  )
}

function ClosedItem({ approval, onOpen }: { readonly approval: WaitingApproval; readonly onOpen: () => void }) {
  const now = useNow()
  return (
    <div className="item">
      <span className="g">
        <StateGlyph state="waiting_approval" />
      </span>
      <div className="grow">
        <div className="row">
          <h3 className="cut">{approval.title || approval.agentName}</h3>
          <span className="muted cut wide-only">{whoAsks(approval)}</span>
        </div>
        <div className="what">Wants to use {approval.toolName}</div>
      </div>
      <div className="meta muted num">{formatAge(approval.at, now)}</div>
      <Button look={['s']} onClick={onOpen}>
        Review
      </Button>
    </div>
  )
}
