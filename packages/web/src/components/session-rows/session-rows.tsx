import { formatLimit, formatSpent, isClosedStatus, type SessionState, visibleText } from '@quarterdeck/protocol'
import { Link } from '@tanstack/react-router'
import { useNow } from '../../hooks/use-now.ts'
import { Avatar } from '../controls/avatar.tsx'
import { Meter } from '../controls/meter.tsx'
import { formatAge } from '../format/format-time.ts'
import { StateLabel } from '../status/state-label.tsx'
import { turnsLabel } from '../status/turns-label.ts'

export function SessionRows({ sessions }: { readonly sessions: readonly SessionState[] }) {
  const now = useNow(5000)
  return (
    <>
      <div className="row-head caption" aria-hidden="true">
        <span>State</span>
        <span>Session</span>
        <span className="drop-first">Agent</span>
        <span className="r">Turns</span>
        <span>Spent</span>
        <span className="r">Age</span>
        <span className="drop-first" />
      </div>
      <ul>
        {sessions.map((session) => (
          <li key={session.sessionId}>
            <SessionRow session={session} now={now} />
          </li>
        ))}
      </ul>
    </>
  )
}

/** One session as one link: state, title and last activity, agent, turns, cost and its meter, age, owner. */
function SessionRow({ session, now }: { readonly session: SessionState; readonly now: number }) {
  const { maxTurns, maxBudgetUsd } = session.limits
  return (
    <Link className="session-row" to="/sessions/$sessionId" params={{ sessionId: session.sessionId }}>
      <span className="row row-state">
        <StateLabel state={session.status} />
        {session.isHibernated && !isClosedStatus(session.status) && <span className="caption">hibernated</span>}
      </span>
      <span className="ellipsis">
        <b className="ellipsis">{visibleText(session.title) || `New session with ${session.agentName}`}</b>
        <small className="ellipsis caption">
          {session.isArchived && 'Archived · '}
          {lastActivityText(session)}
        </small>
      </span>
      <span className="text-2 ellipsis drop drop-first">{session.agentName}</span>
      <span className="r drop">{session.numTurns <= maxTurns ? turnsLabel(session) : session.numTurns}</span>
      <span>
        {formatSpent(session)} of {formatLimit(maxBudgetUsd)}
        <Meter value={session.costUsd} limit={maxBudgetUsd} />
      </span>
      <span className="r drop">{formatAge(session.createdAt, now)}</span>
      <span className="drop drop-first">
        <Avatar name={session.owner} />
      </span>
    </Link>
  )
}

/** The open request, or else the last activity. */
function lastActivityText({ approvals, questions, activity }: SessionState): string {
  const [approval] = approvals
  if (approval !== undefined) return `Wants to use ${approval.toolName}`
  const [question] = questions
  if (question === undefined) return activity
  return `Asks: ${visibleText(question.message || (question.items[0]?.question ?? ''))}`
}
