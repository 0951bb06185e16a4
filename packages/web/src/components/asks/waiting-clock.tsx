import { useNow } from '../../hooks/use-now.ts'
import { formatAge, formatClock } from '../format/format-time.ts'

interface WaitingClockProps {
  readonly since: string
  /** When it ends by itself. */
  readonly until?: string | null
  /** What happens then, as in “Denies itself in 9:41”. */
  readonly then?: string
}

/** How long somebody has waited, or how long they still will. */
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
