import { useNow } from '../../hooks/use-now.ts'
import { formatAge, formatClock } from '../format/format-time.ts'

export interface WaitingClockProps {
  readonly since: string
  /** When the request expires. */
  readonly until?: string | null
  /** The verb shown before the remaining time, as in “Auto-denies in 9:41”. */
  readonly then?: string
}

/** Shows how long a request has waited, or how long it has left. */
export function WaitingClock({ since, until = null, then = 'Ends' }: WaitingClockProps) {
  const now = useNow()
  if (until !== null) {
    return (
      <span className="clock">
        <span className="wide-only">{then} in </span>
        {formatClock(Date.parse(until) - now)}
      </span>
    )
  }
  const age = formatAge(since, now)
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1000))
  return (
    <span className="clock">
      <span className="wide-only">Waiting </span>
      {age === 'now' ? `${seconds} s` : age}
    </span>
  )
}
