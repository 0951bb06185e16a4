import { type ApprovalItem, isBusyStatus, isClosedStatus } from '@quarterdeck/protocol'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { AboutPane } from '../features/about-pane/about-pane.tsx'
import { AgentsTree } from '../features/agents-tree/agents-tree.tsx'
import { ApprovalCard } from '../features/approvals/approval-card.tsx'
import { PullThePlug } from '../features/approvals/pull-the-plug.tsx'
import { SettledApproval } from '../features/approvals/settled-approval.tsx'
import { SessionHead } from '../features/session-head/session-head.tsx'
import { Transcript } from '../features/transcript/transcript.tsx'
import { TurnPin } from '../features/transcript/turn-pin.tsx'
import { useAction } from '../hooks/use-action.ts'
import { useDismissed } from '../hooks/use-dismissed.ts'
import { usePageTitle } from '../hooks/use-page-title.ts'
import { useStore } from '../hooks/use-store.ts'
import { useWorkbench } from '../hooks/use-workbench.ts'
import { agentTitle } from '../state/agent-title.ts'
import type { SessionView } from '../state/session-store.ts'
import type { SessionStory } from '../state/session-story.ts'
import { NoMessageYet } from './no-message-yet.tsx'
import { SessionFoot } from './session-foot.tsx'
import { SessionNextSteps } from './session-next-steps.tsx'
import { type SessionPane, ViewTabs } from './view-tabs.tsx'

interface LiveSessionProps {
  readonly view: SessionView
  readonly story: SessionStory
}

export function LiveSession({ view, story }: LiveSessionProps) {
  const { client, inbox } = useWorkbench()
  const { verdicts } = useStore(inbox)
  const { agent = '' } = useSearch({ from: '/sessions/$sessionId' })
  const navigate = useNavigate()
  const [pane, setPane] = useState<SessionPane>('transcript')
  const control = useAction()
  const [isPlugDismissed, dismissPlug] = useDismissed('pull-the-plug')
  const { session } = story
  const { sessionId } = session
  usePageTitle(session.title || session.agentName, session.approvals.length)

  const showAgent = useCallback(
    (key: string) => {
      setPane('transcript')
      const search = key === '' ? {} : { agent: key }
      void navigate({ to: '/sessions/$sessionId', params: { sessionId }, search, replace: true })
    },
    [navigate, sessionId],
  )
  const interrupt = () => void control.run(() => client.interrupt(sessionId))

  function renderApproval(item: ApprovalItem) {
    const open = session.approvals.find(({ approvalId }) => approvalId === item.request.approvalId)
    if (open === undefined) return <SettledApproval item={item} folder={session.cwd} />
    return (
      <ApprovalCard
        approval={open}
        who={agentTitle(story, open.agent)}
        folder={session.cwd}
        verdict={verdicts.get(open.approvalId)}
        onDecide={(body) => void inbox.decide(open.approvalId, body)}
        onStop={interrupt}
      />
    )
  }

  const prompts = story.transcript.items.filter(
    (item) => item.type === 'user' && item.isDelivered && item.origin === 'user',
  )
  const prompt = prompts.at(-1)
  const isEmpty = prompts.length === 0 && session.queued.length === 0 && !isBusyStatus(session.status)
  const isFirstAsk = session.approvals.length > 0 && session.decided.length === 0
  const showsPlug = session.modelSource === 'simulator' && isFirstAsk && agent === '' && !isPlugDismissed
  return (
    <main className="session" id="content" data-view={pane} tabIndex={-1}>
      <SessionHead
        story={story}
        failure={control.failure}
        onInterrupt={interrupt}
        onClose={() => void control.run(() => client.close(sessionId))}
        onCancel={() => void control.run(() => client.cancel(sessionId))}
        onAbout={() => setPane(pane === 'about' ? 'transcript' : 'about')}
      />
      <ViewTabs pane={pane} agents={story.tree.size + 1} onChange={setPane} />
      <AgentsTree story={story} selected={agent} onSelect={showAgent} />
      <section className="pane centre" aria-label="Transcript">
        <TurnPin
          prompt={prompt?.type === 'user' ? prompt : null}
          turnNumber={prompts.length}
          agentName={agent === '' ? null : agentTitle(story, agent.split('/'))}
          onShowLead={() => showAgent('')}
        />
        <Transcript
          story={story}
          view={view}
          agent={agent}
          renderApproval={renderApproval}
          onShowAgent={showAgent}
          tail={showsPlug ? <PullThePlug onDismiss={dismissPlug} /> : isEmpty ? <NoMessageYet /> : null}
          foot={<SessionFoot view={view} story={story} />}
        />
      </section>
      <AboutPane story={story} onHide={() => setPane('transcript')}>
        {!isBusyStatus(session.status) && (session.numTurns > 0 || isClosedStatus(session.status)) && (
          <SessionNextSteps session={session} />
        )}
      </AboutPane>
    </main>
  )
}
