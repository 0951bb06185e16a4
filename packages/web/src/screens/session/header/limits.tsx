import { formatLimit, formatSpent, type SessionState, type Transcript } from '@quarterdeck/protocol'
import { Meter } from '../../../components/controls/meter.tsx'
import { formatClock } from '../../../components/format/format-time.ts'
import { turnsLabel } from '../../../components/status/turns-label.ts'
import { useNow } from '../../../hooks/use-now.ts'
import { workingTimeMs } from '../../../stores/session/working-time.ts'

/** Turns, cost and time, each with its limit. */
export function Limits({ session, transcript }: { readonly session: SessionState; readonly transcript: Transcript }) {
  const now = useNow()
  const { maxTurns, maxBudgetUsd, maxDurationMs } = session.limits
  const worked = workingTimeMs(session, transcript, now)
  const spent = `${formatSpent(session)} of ${formatLimit(maxBudgetUsd)}`
  return (
    <dl className="limits">
      <div>
        <dt>
          Turns <b>{turnsLabel(session)}</b>
        </dt>
        {session.numTurns <= maxTurns && (
          <dd>
            <Meter value={session.numTurns} limit={maxTurns} />
          </dd>
        )}
      </div>
      <div className="keep">
        <dt>
          <span className="wide-only">Spent </span>
          <b>{spent}</b>
        </dt>
        <dd>
          <Meter value={session.costUsd} limit={maxBudgetUsd} />
        </dd>
      </div>
      <div>
        <dt>
          Time{' '}
          <b>
            {formatClock(worked)} of {formatClock(maxDurationMs)}
          </b>
        </dt>
        <dd>
          <Meter value={worked} limit={maxDurationMs} />
        </dd>
      </div>
    </dl>
  )
}
