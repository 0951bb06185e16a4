import { isBusyStatus, type SessionState, type Transcript } from '@quarterdeck/protocol'
import { useNow } from '../../hooks/use-now.ts'
import { formatClock } from '../../ui/format-time.ts'
import { stateWords } from '../../ui/state-words.ts'

interface StatusLineProps {
  readonly session: SessionState
  readonly transcript: Transcript
}

/** What goes on, and for how long. */
export function StatusLine({ session, transcript }: StatusLineProps) {
  const now = useNow()
  if (!isBusyStatus(session.status) || session.turn === null) return null
  const elapsed = now - Date.parse(session.turn.startedAt)
  return (
    <div className="status-line">
      {activityOf(session, transcript)}, {formatClock(elapsed)}
    </div>
  )
}

function activityOf(session: SessionState, transcript: Transcript): string {
  if (session.status !== 'running') return stateWords[session.status].replace('…', '')
  const streaming = transcript.items.findLast((item) => 'isStreaming' in item && item.isStreaming)
  if (streaming !== undefined) return streaming.type === 'thinking' ? 'Thinking' : 'Writing'
  const tools = session.openTools.map((tool) => tool.toolName)
  return tools.length === 0 ? 'Waiting for the model' : `Running ${tools.join(', ')}`
}
