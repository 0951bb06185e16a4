import { isBusyStatus, isClosedStatus, type TextItem, type UserItem } from '@quarterdeck/protocol'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useRef, useState } from 'react'
import { AboutPane } from '../features/about-pane/about-pane.tsx'
import { AgentsTree } from '../features/agents-tree/agents-tree.tsx'
import { PullThePlug } from '../features/approvals/pull-the-plug.tsx'
import { wasPulled } from '../features/approvals/was-pulled.ts'
import { SessionHead } from '../features/session-head/session-head.tsx'
import type { RowActs } from '../features/transcript/row-acts.ts'
import { Transcript } from '../features/transcript/transcript.tsx'
import { TurnPin } from '../features/transcript/turn-pin.tsx'
import { useDismissed } from '../hooks/use-dismissed.ts'
import { usePageTitle } from '../hooks/use-page-title.ts'
import { useSessionActs } from '../hooks/use-session-acts.ts'
import { agentTitle } from '../state/agent-title.ts'
import type { SessionView } from '../state/session-store.ts'
import type { SessionStory } from '../state/session-story.ts'
import { sessionName } from '../ui/session-name.ts'
import { LazyDialogs } from './lazy-dialogs.tsx'
import { NoMessageYet } from './no-message-yet.tsx'
import { SessionAsk } from './session-ask.tsx'
import { SessionBefore } from './session-before.tsx'
import type { OpenDialog } from './session-dialogs.tsx'
import { SessionFoot } from './session-foot.tsx'
import { SessionNextSteps } from './session-next-steps.tsx'
import { type SessionPane, ViewTabs } from './view-tabs.tsx'

interface LiveSessionProps {
  readonly view: SessionView
  readonly story: SessionStory
}

export function LiveSession({ view, story }: LiveSessionProps) {
  const { agent = '' } = useSearch({ from: '/sessions/$sessionId' })
  const [pane, setPane] = useState<SessionPane>('transcript')
  const [dialog, setDialog] = useState<OpenDialog>(null)
  const [isPlugDismissed, dismissPlug] = useDismissed('pull-the-plug')
  const { session } = story
  const acts = useSessionActs(session)
  const rowActs = useRowActs({ story, setPane, setDialog, acts })
  usePageTitle(sessionName(session), session.approvals.length + session.questions.length)

  const prompts = story.transcript.items.filter(
    (item) => item.type === 'user' && item.isDelivered && item.origin === 'user',
  )
  const prompt = prompts.at(-1)
  const isResting = !isBusyStatus(session.status)
  const isEmpty = prompts.length === 0 && session.queued.length === 0 && isResting && session.forkedFrom === null
  const isFirstAsk = session.approvals.length > 0 && session.decided.length === 0
  const showsPlug =
    session.modelSource === 'simulator' &&
    isFirstAsk &&
    agent === '' &&
    !isPlugDismissed &&
    !wasPulled(story.transcript)
  return (
    <main className="session" id="content" data-view={pane} tabIndex={-1}>
      <SessionHead
        story={story}
        acts={acts}
        onSettings={() => setDialog({ type: 'settings' })}
        onDelete={() => setDialog({ type: 'delete' })}
        onAbout={() => setPane(pane === 'about' ? 'transcript' : 'about')}
      />
      <ViewTabs pane={pane} agents={story.tree.size + 1} onChange={setPane} />
      <AgentsTree story={story} selected={agent} onSelect={rowActs.onShowAgent} />
      <section className="pane centre" aria-label="Transcript">
        <TurnPin
          prompt={prompt?.type === 'user' ? prompt : null}
          turnNumber={prompts.length}
          agentName={agent === '' ? null : agentTitle(story, agent.split('/'))}
          onShowLead={() => rowActs.onShowAgent('')}
        />
        <Transcript
          story={story}
          view={view}
          agent={agent}
          acts={rowActs}
          before={
            session.forkedFrom !== null && agent === '' ? (
              <SessionBefore forkedFrom={session.forkedFrom} acts={rowActs} />
            ) : null
          }
          tail={showsPlug ? <PullThePlug onDismiss={dismissPlug} /> : isEmpty ? <NoMessageYet /> : null}
          foot={<SessionFoot view={view} story={story} />}
        />
      </section>
      <AboutPane story={story} onRevoke={acts.revoke} onHide={() => setPane('transcript')}>
        {isResting && (session.numTurns > 0 || isClosedStatus(session.status)) && (
          <SessionNextSteps session={session} />
        )}
      </AboutPane>
      <LazyDialogs open={dialog} session={session} onClose={() => setDialog(null)} />
    </main>
  )
}

interface RowActsOptions {
  readonly story: SessionStory
  readonly setPane: (pane: SessionPane) => void
  readonly setDialog: (dialog: OpenDialog) => void
  readonly acts: ReturnType<typeof useSessionActs>
}

function useRowActs({ story, setPane, setDialog, acts }: RowActsOptions): RowActs {
  const navigate = useNavigate()
  const { sessionId } = story.session
  // Rows are drawn again only for a new function: the acts of this moment are read when one is used.
  const latest = useRef(acts)
  latest.current = acts
  const onShowAgent = useCallback(
    (key: string) => {
      setPane('transcript')
      const search = key === '' ? {} : { agent: key }
      void navigate({ to: '/sessions/$sessionId', params: { sessionId }, search, replace: true })
    },
    [navigate, sessionId, setPane],
  )
  const onMessage = useCallback(
    (act: 'fork' | 'rewind', item: UserItem | TextItem) => {
      if (item.type === 'user') setDialog({ type: act, item })
      else if (item.seq !== null) void latest.current.fork({ at: item.seq })
    },
    [setDialog],
  )
  return {
    onShowAgent,
    onMessage,
    renderAsk: (item) => <SessionAsk item={item} story={story} onStop={acts.interrupt} />,
  }
}
