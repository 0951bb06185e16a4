import { isBusyStatus, type QueuePosition, type SessionState, visibleText } from '@quarterdeck/protocol'
import { formatClock } from '../../../components/format/format-time.ts'
import { stateLabels } from '../../../components/status/state-labels.ts'
import { useNow } from '../../../hooks/use-now.ts'
import type { SessionProjection } from '../../../stores/session/session-projection.ts'
import type { Retry } from '../../../stores/session/transient-state.ts'

/** The current activity and its duration, or the queue position. */
export function StatusLine({ projection }: { readonly projection: SessionProjection }) {
  const now = useNow()
  const { session, transient } = projection
  if (transient.queuePosition !== null)
    return <div className="status-line">{queuePositionLabel(transient.queuePosition)}</div>
  if (!isBusyStatus(session.status) || session.turn === null) return null
  if (transient.retry !== null && session.status === 'running') {
    return <div className="status-line">{retryLabel(transient.retry, now)}</div>
  }
  const elapsed = now - Date.parse(session.turn.startedAt)
  return (
    <div className="status-line">
      {activityOf(projection)}, {formatClock(elapsed)}
    </div>
  )
}

const awaited = { process: 'a process', turn: 'a turn', rate: 'the provider', agent: 'this agent' } as const

export const queuePositionLabel = ({ reason, position }: QueuePosition): string =>
  `${position === 1 ? 'Next' : `Position ${position}`} in the queue for ${awaited[reason]}`

/** Counts down to the next attempt. */
function retryLabel({ attempt, maxRetries, error, nextAt }: Retry, now: number): string {
  const seconds = Math.ceil((nextAt - now) / 1000)
  const when = seconds > 0 ? `in ${seconds} s` : 'now'
  return `The provider did not respond (${visibleText(error)}). Attempt ${attempt} of ${maxRetries} ${when}.`
}

function activityOf({ session, transcript }: SessionProjection): string {
  if (session.status !== 'running') return waitingLabel(session)
  const streaming = transcript.items.findLast((item) => 'isStreaming' in item && item.isStreaming)
  if (streaming !== undefined) return streaming.type === 'thinking' ? 'Thinking' : 'Writing'
  const tools = session.openTools.map((tool) => tool.toolName)
  return tools.length === 0 ? 'Waiting for the model' : `Running ${tools.join(', ')}`
}

const waitingLabel = ({ status }: SessionState): string => stateLabels[status].replace('…', '')
