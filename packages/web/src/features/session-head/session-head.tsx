import { isBusyStatus, isClosedStatus, isOutOfOwnMoney } from '@quarterdeck/protocol'
import { Link } from '@tanstack/react-router'
import { ChevronDown, PanelRight, Pause, Play, Square } from 'lucide-react'
import { useState } from 'react'
import type { SessionActs } from '../../hooks/use-session-acts.ts'
import type { SessionStory } from '../../state/session-story.ts'
import { Button } from '../../ui/button.tsx'
import { modeWords } from '../../ui/mode-words.ts'
import { sessionModel } from '../../ui/session-model.ts'
import { StateLabel } from '../../ui/state-label.tsx'
import { canPause } from './can-pause.ts'
import { canResume } from './can-resume.ts'
import { Limits } from './limits.tsx'
import { SessionMenu } from './session-menu.tsx'
import { SessionTitle } from './session-title.tsx'

interface SessionHeadProps {
  readonly story: SessionStory
  readonly acts: SessionActs
  readonly onSettings: () => void
  readonly onDelete: () => void
  readonly onAbout: () => void
}

export function SessionHead({ story, acts, onSettings, onDelete, onAbout }: SessionHeadProps) {
  const { session } = story
  const [isRenaming, setRenaming] = useState(false)
  return (
    <header className="head">
      <div className="cut">
        <SessionTitle
          session={session}
          isRenaming={isRenaming}
          onRenaming={setRenaming}
          onRename={(title) => acts.change({ title })}
        />
        <Sub story={story} acts={acts} onSettings={onSettings} />
      </div>
      <Limits session={session} transcript={story.transcript} />
      <div className="row">
        <Controls story={story} acts={acts} onSettings={onSettings} />
        <Button look={['s', 'quiet', 'square', 'sheet-open']} aria-label="About this session" onClick={onAbout}>
          <PanelRight className="icon" aria-hidden="true" />
        </Button>
        <SessionMenu
          session={session}
          acts={acts}
          onSettings={onSettings}
          onRename={() => setRenaming(true)}
          onDelete={onDelete}
        />
      </div>
    </header>
  )
}

function Sub({ story: { session }, acts, onSettings }: Pick<SessionHeadProps, 'story' | 'acts' | 'onSettings'>) {
  const settings = `${sessionModel(session)} · ${modeWords[session.permissionMode]}`
  return (
    <div className="sub">
      <StateLabel state={session.status} />
      {session.isHibernated && !isClosedStatus(session.status) && <span title="No process is kept for it">asleep</span>}
      {session.isArchived && <span className="chip">Archived</span>}
      {isClosedStatus(session.status) ? (
        <span className="wide-only cut">· {settings}</span>
      ) : (
        <button type="button" className="plain wide-only cut sub-settings" onClick={onSettings}>
          · {settings} <ChevronDown className="icon s" aria-hidden="true" />
          <span className="unseen">Change settings</span>
        </button>
      )}
      {session.forkedFrom !== null && (
        <Link
          className="link wide-only"
          to="/sessions/$sessionId"
          params={{ sessionId: session.forkedFrom.sessionId }}
          hash={`e${session.forkedFrom.seq}`}
        >
          Forked from another session
        </Link>
      )}
      {[...new Set(acts.failures.map(({ message }) => message))].map((message) => (
        <span className="minus" role="alert" key={message}>
          {message}
        </span>
      ))}
    </div>
  )
}

function Controls({ story: { session }, acts, onSettings }: Pick<SessionHeadProps, 'story' | 'acts' | 'onSettings'>) {
  const { status } = session
  const isStopping = acts.isStopping || status === 'interrupting' || status === 'cancelling'
  return (
    <>
      {isOutOfOwnMoney(session) && (
        <Button look={['s']} onClick={onSettings}>
          Raise the limit
        </Button>
      )}
      {canResume(session) && (
        <Button look={['s']} disabled={acts.isBusy} onClick={acts.resume}>
          <Play className="icon s" aria-hidden="true" />
          Resume
        </Button>
      )}
      {canPause(session) && (
        <Button look={['s', 'drop-narrow']} disabled={acts.isBusy} onClick={acts.pause}>
          <Pause className="icon s" aria-hidden="true" />
          Pause
        </Button>
      )}
      {isBusyStatus(status) && status !== 'pausing' && (
        <Button look={['s', 'danger']} disabled={isStopping} onClick={acts.interrupt}>
          <Square className="icon s" aria-hidden="true" />
          {isStopping ? 'Stopping…' : 'Stop'}
        </Button>
      )}
    </>
  )
}
