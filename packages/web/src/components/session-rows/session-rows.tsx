import type { SessionState } from '@quarterdeck/protocol'
import { useNow } from '../../hooks/use-now.ts'
import { SessionRow } from './session-row.tsx'

export function SessionRows({ sessions }: { readonly sessions: readonly SessionState[] }) {
  const now = useNow(5000)
  return (
    <>
      <div className="row-head" aria-hidden="true">
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
