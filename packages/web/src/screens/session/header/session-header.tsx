import { isBusyStatus, isClosedStatus, isOutOfOwnMoney, resumeObstacle } from '@quarterdeck/protocol'
import { Link } from '@tanstack/react-router'
import { ChevronDown, PanelRight, Pause, Pencil, Play, Square } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../components/controls/button.tsx'
import { RenameForm } from '../../../components/controls/rename-form.tsx'
import { modeLabels } from '../../../components/status/mode-labels.ts'
import { sessionModel } from '../../../components/status/session-model.ts'
import { sessionName } from '../../../components/status/session-name.ts'
import { StateLabel } from '../../../components/status/state-label.tsx'
import type { SessionProjection } from '../../../stores/session/session-projection.ts'
import { canPause } from './can-pause.ts'
import { Limits } from './limits.tsx'
import { SessionMenu, type SessionMenuProps } from './session-menu.tsx'

interface SessionHeaderProps extends Pick<SessionMenuProps, 'actions' | 'onSettings' | 'onDelete'> {
  readonly projection: SessionProjection
  readonly onAbout: () => void
}

export function SessionHeader({ projection, actions, onSettings, onDelete, onAbout }: SessionHeaderProps) {
  const { session } = projection
  const [isRenaming, setRenaming] = useState(false)
  return (
    <header className="row head">
      <div className="ellipsis">
        <div className="row title-row">
          <h1 className={isRenaming ? 'visually-hidden' : 'ellipsis'}>{sessionName(session)}</h1>
          {isRenaming ? (
            <RenameForm
              title={session.title || session.agentName}
              onRename={(title) => actions.change({ title })}
              onBack={() => setRenaming(false)}
            />
          ) : (
            <Button variant={['s', 'quiet', 'square', 'rename']} aria-label="Rename" onClick={() => setRenaming(true)}>
              <Pencil className="icon s" aria-hidden="true" />
            </Button>
          )}
        </div>
        <SessionFacts session={session} actions={actions} onSettings={onSettings} />
      </div>
      <Limits session={session} transcript={projection.transcript} />
      <div className="row">
        <Controls session={session} actions={actions} onSettings={onSettings} />
        <Button variant={['s', 'quiet', 'square', 'sheet-open']} aria-label="About this session" onClick={onAbout}>
          <PanelRight className="icon" aria-hidden="true" />
        </Button>
        <SessionMenu
          session={session}
          actions={actions}
          onSettings={onSettings}
          onRename={() => setRenaming(true)}
          onDelete={onDelete}
        />
      </div>
    </header>
  )
}

type PartProps = Pick<SessionMenuProps, 'session' | 'actions' | 'onSettings'>

function SessionFacts({ session, actions, onSettings }: PartProps) {
  const settings = `${sessionModel(session)} · ${modeLabels[session.permissionMode]}`
  return (
    <div className="row sub caption">
      <StateLabel state={session.status} />
      {session.isHibernated && !isClosedStatus(session.status) && (
        <span title="No process is running for this session">hibernated</span>
      )}
      {session.isArchived && <span className="chip">Archived</span>}
      {isClosedStatus(session.status) ? (
        <span className="wide-only ellipsis">· {settings}</span>
      ) : (
        <button type="button" className="plain wide-only ellipsis sub-settings" onClick={onSettings}>
          · {settings} <ChevronDown className="icon s" aria-hidden="true" />
          <span className="visually-hidden">Change settings</span>
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
      {[...new Set(actions.failures.map(({ message }) => message))].map((message) => (
        <span className="failure" role="alert" key={message}>
          {message}
        </span>
      ))}
    </div>
  )
}

function Controls({ session, actions, onSettings }: PartProps) {
  const { status } = session
  const isStopping = actions.isStopping || status === 'interrupting' || status === 'cancelling'
  return (
    <>
      {isOutOfOwnMoney(session) && (
        <Button variant={['s']} onClick={onSettings}>
          Raise the limit
        </Button>
      )}
      {resumeObstacle(session) === null && (
        <Button variant={['s']} disabled={actions.isBusy} onClick={actions.resume}>
          <Play className="icon s" aria-hidden="true" />
          Resume
        </Button>
      )}
      {canPause(session) && (
        <Button variant={['s', 'drop-narrow']} disabled={actions.isBusy} onClick={actions.pause}>
          <Pause className="icon s" aria-hidden="true" />
          Pause
        </Button>
      )}
      {isBusyStatus(status) && status !== 'pausing' && (
        <Button variant={['s', 'danger']} disabled={isStopping} onClick={actions.interrupt}>
          <Square className="icon s" aria-hidden="true" />
          {isStopping ? 'Stopping…' : 'Stop'}
        </Button>
      )}
    </>
  )
}
