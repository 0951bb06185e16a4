import { isBusyStatus, modelLabel, type QuarterdeckError } from '@quarterdeck/protocol'
import { PanelRight, Square } from 'lucide-react'
import type { SessionStory } from '../../state/session-story.ts'
import { Button } from '../../ui/button.tsx'
import { modeWords } from '../../ui/mode-words.ts'
import { StateLabel } from '../../ui/state-label.tsx'
import { Limits } from './limits.tsx'
import { SessionMenu } from './session-menu.tsx'

interface SessionHeadProps {
  readonly story: SessionStory
  readonly onInterrupt: () => void
  readonly onClose: () => void
  readonly onCancel: () => void
  readonly onAbout: () => void
  readonly failure: QuarterdeckError | null
}

export function SessionHead({ story, onInterrupt, onClose, onCancel, onAbout, failure }: SessionHeadProps) {
  const { session } = story
  const isStopping = session.status === 'interrupting' || session.status === 'cancelling'
  return (
    <header className="head">
      <div className="cut">
        <h1 className="cut">{session.title || session.agentName}</h1>
        <div className="sub">
          <StateLabel state={session.status} />
          <span className="wide-only cut">· {modelLabel(session)}</span>
          <span className="wide-only cut">· {modeWords[session.permissionMode]}</span>
          {failure !== null && <span className="minus">{failure.message}</span>}
        </div>
      </div>
      <Limits session={session} transcript={story.transcript} />
      <div className="row">
        {isBusyStatus(session.status) && (
          <Button look={['s', 'danger']} disabled={isStopping} onClick={onInterrupt}>
            <Square className="icon s" aria-hidden="true" />
            {isStopping ? 'Stopping…' : 'Stop'}
          </Button>
        )}
        <Button look={['s', 'quiet', 'square', 'sheet-open']} aria-label="About this session" onClick={onAbout}>
          <PanelRight className="icon" aria-hidden="true" />
        </Button>
        <SessionMenu status={session.status} onClose={onClose} onCancel={onCancel} />
      </div>
    </header>
  )
}
