import type { UserItem } from '@quarterdeck/protocol'
import { X } from 'lucide-react'
import { Avatar } from '../../../components/controls/avatar.tsx'
import { Button } from '../../../components/controls/button.tsx'

interface TurnPinProps {
  readonly prompt: UserItem | null
  readonly turnNumber: number
  /** Set while the transcript of one subagent is shown. */
  readonly agentName: string | null
  readonly onShowLead: () => void
}

/** Keeps the prompt of the turn visible while its events scroll. */
export function TurnPin({ prompt, turnNumber, agentName, onShowLead }: TurnPinProps) {
  if (agentName !== null) {
    return (
      <div className="row turn-pin">
        <span className="ellipsis grow">
          Showing only <b>{agentName}</b>
        </span>
        <Button variant={['s']} onClick={onShowLead}>
          <X className="icon s" aria-hidden="true" />
          Back to the whole session
        </Button>
      </div>
    )
  }
  return (
    <div className="row turn-pin">
      {prompt === null ? (
        <span className="muted grow">No message yet</span>
      ) : (
        <>
          <Avatar name={prompt.by} />
          <span className="ellipsis grow">{prompt.content}</span>
          <span className="muted num">Message {turnNumber}</span>
        </>
      )}
    </div>
  )
}
