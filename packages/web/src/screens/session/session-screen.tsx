import { isBusyStatus } from '@quarterdeck/protocol'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { sessionName } from '../../components/status/session-name.ts'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import { agentTitle } from '../../stores/session/agent-title.ts'
import type { SessionProjection } from '../../stores/session/session-projection.ts'
import type { SessionView } from '../../stores/session/session-store.ts'
import { AboutPane } from './about/about-pane.tsx'
import { useSessionActions } from './actions/use-session-actions.ts'
import { AgentsTree } from './agents/agents-tree.tsx'
import { LazyDialogs } from './dialogs/lazy-dialogs.tsx'
import type { OpenDialog } from './dialogs/session-dialogs.tsx'
import { EarlierConversation } from './earlier/earlier-conversation.tsx'
import { SessionHeader } from './header/session-header.tsx'
import { RestartHint, useDismissed, wasRestarted } from './restart-hint.tsx'
import { hasComposer, SessionFooter } from './session-footer.tsx'
import { Transcript } from './transcript/transcript.tsx'
import { TurnPin } from './transcript/turn-pin.tsx'
import { useRowActions } from './use-row-actions.tsx'

type SessionPane = 'transcript' | 'agents' | 'about'

interface SessionScreenProps {
  readonly view: SessionView
  readonly projection: SessionProjection
}

export function SessionScreen({ view, projection }: SessionScreenProps) {
  const { agent = '' } = useSearch({ from: '/sessions/$sessionId' })
  const [pane, setPane] = useState<SessionPane>('transcript')
  const [dialog, setDialog] = useState<OpenDialog>(null)
  const [isRestartHintDismissed, dismissRestartHint] = useDismissed('restart-hint')
  const { session } = projection
  const actions = useSessionActions(session)
  const rowActions = useRowActions({ projection, setPane, setDialog, actions })
  usePageTitle(sessionName(session), session.approvals.length + session.questions.length)

  const prompts = projection.transcript.items.filter(
    (item) => item.type === 'user' && item.isDelivered && item.origin === 'user',
  )
  const prompt = prompts.at(-1)
  const isIdle = session.queued.length === 0 && !isBusyStatus(session.status)
  const isEmpty = prompts.length === 0 && isIdle && session.forkedFrom === null && hasComposer(view, session)
  const isFirstAsk = session.approvals.length > 0 && session.decided.length === 0
  const showsRestartHint =
    session.modelSource === 'simulator' &&
    isFirstAsk &&
    agent === '' &&
    !isRestartHintDismissed &&
    !wasRestarted(projection.transcript)
  return (
    <main className="session" id="content" data-view={pane} tabIndex={-1}>
      <SessionHeader
        projection={projection}
        actions={actions}
        onSettings={() => setDialog({ type: 'settings' })}
        onDelete={() => setDialog({ type: 'delete' })}
        onAbout={() => setPane(pane === 'about' ? 'transcript' : 'about')}
      />
      <ViewTabs pane={pane} agents={projection.tree.size + 1} onChange={setPane} />
      <AgentsTree projection={projection} selected={agent} onSelect={rowActions.onShowAgent} />
      <section className="pane centre" aria-label="Transcript">
        <TurnPin
          prompt={prompt?.type === 'user' ? prompt : null}
          turnNumber={prompts.length}
          agentName={agent === '' ? null : agentTitle(projection, agent.split('/'))}
          onShowLead={() => rowActions.onShowAgent('')}
        />
        <Transcript
          projection={projection}
          view={view}
          agent={agent}
          actions={rowActions}
          before={
            session.forkedFrom !== null && agent === '' ? (
              <EarlierConversation forkedFrom={session.forkedFrom} actions={rowActions} />
            ) : null
          }
          tail={showsRestartHint ? <RestartHint onDismiss={dismissRestartHint} /> : isEmpty ? <NoMessageYet /> : null}
          foot={<SessionFooter view={view} projection={projection} />}
        />
      </section>
      <AboutPane projection={projection} onRevoke={actions.revoke} onHide={() => setPane('transcript')} />
      <LazyDialogs open={dialog} session={session} onClose={() => setDialog(null)} />
    </main>
  )
}

function NoMessageYet() {
  return (
    <div className="empty">
      <h2>Nothing has happened yet</h2>
      <p>Write a message below. Every step appears here as it happens and stays in the log.</p>
    </div>
  )
}

interface ViewTabsProps {
  readonly pane: SessionPane
  readonly agents: number
  readonly onChange: (pane: SessionPane) => void
}

/** Switches panes on a narrow screen. */
function ViewTabs({ pane, agents, onChange }: ViewTabsProps) {
  return (
    <nav className="tabs views" aria-label="Views">
      <button type="button" aria-current={pane === 'transcript'} onClick={() => onChange('transcript')}>
        Transcript
      </button>
      <button type="button" aria-current={pane === 'agents'} onClick={() => onChange('agents')}>
        Agents <span className="count">{agents}</span>
      </button>
      <button type="button" aria-current={pane === 'about'} onClick={() => onChange('about')}>
        About
      </button>
    </nav>
  )
}
