import { isBusyStatus, type SessionState, visibleText } from '@quarterdeck/protocol'
import { useNow } from '../../hooks/use-now.ts'
import type { Retry } from '../../state/moment.ts'
import type { SessionStory } from '../../state/session-story.ts'
import { formatClock } from '../../ui/format-time.ts'
import { placeWords } from '../../ui/place-words.ts'
import { stateWords } from '../../ui/state-words.ts'

/** What goes on, and for how long; or what it waits for. */
export function StatusLine({ story }: { readonly story: SessionStory }) {
  const now = useNow()
  const { session, moment } = story
  if (moment.place !== null) return <div className="status-line">{placeWords(moment.place)}</div>
  if (!isBusyStatus(session.status) || session.turn === null) return null
  if (moment.retry !== null && session.status === 'running') {
    return <div className="status-line">{retryWords(moment.retry, now)}</div>
  }
  const elapsed = now - Date.parse(session.turn.startedAt)
  return (
    <div className="status-line">
      {activityOf(story)}, {formatClock(elapsed)}
    </div>
  )
}

/** Counts down to the next try. */
function retryWords({ attempt, maxRetries, error, nextAt }: Retry, now: number): string {
  const seconds = Math.ceil((nextAt - now) / 1000)
  const when = seconds > 0 ? `in ${seconds} s` : 'now'
  return `The provider did not answer (${visibleText(error)}). Try ${attempt} of ${maxRetries} ${when}.`
}

function activityOf({ session, transcript }: SessionStory): string {
  if (session.status !== 'running') return waitingWords(session)
  const streaming = transcript.items.findLast((item) => 'isStreaming' in item && item.isStreaming)
  if (streaming !== undefined) return streaming.type === 'thinking' ? 'Thinking' : 'Writing'
  const tools = session.openTools.map((tool) => tool.toolName)
  return tools.length === 0 ? 'Waiting for the model' : `Running ${tools.join(', ')}`
}

const waitingWords = ({ status }: SessionState): string => stateWords[status].replace('…', '')
