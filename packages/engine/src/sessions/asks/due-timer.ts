// One timer for the deadlines of all asks.
import type { AskId, SessionId } from '@quarterdeck/protocol'
import type { Clock } from '../../ports/clock.ts'

export interface Due {
  readonly sessionId: SessionId
  readonly id: AskId
  readonly atMs: number
  readonly action: 'expire' | 'hand-over'
  /** The client that loses the call. */
  readonly leader?: string | null
}

/** The longest interval between two checks: the clock may be set, and a timer holds at most 24 days. */
const longestDelayMs = 60_000

const keyOf = ({ action, id }: Pick<Due, 'action' | 'id'>): string => `${action} ${id}`

/** `onDue` is called once for each entry, after its time. The entry is gone then. */
export function createDueTimer(clock: Clock, onDue: (due: Due) => void) {
  const dues = new Map<string, Due>()
  let timer: NodeJS.Timeout | undefined
  let nextCheckAtMs = Number.POSITIVE_INFINITY
  let isStopped = false

  function arm(atMs: number): void {
    clearTimeout(timer)
    nextCheckAtMs = atMs
    if (isStopped || atMs === Number.POSITIVE_INFINITY) return
    timer = setTimeout(checkDue, Math.min(longestDelayMs, Math.max(0, atMs - clock.now().getTime())))
    timer.unref()
  }

  function checkDue(): void {
    const now = clock.now().getTime()
    // Before `onDue`, which may add entries.
    const due = [...dues.values()].filter(({ atMs }) => atMs <= now)
    for (const one of due) dues.delete(keyOf(one))
    let next = Number.POSITIVE_INFINITY
    for (const { atMs } of dues.values()) next = Math.min(next, atMs)
    arm(next)
    for (const one of due) onDue(one)
  }

  return {
    add(due: Due): void {
      dues.set(keyOf(due), due)
      if (due.atMs < nextCheckAtMs) arm(due.atMs)
    },
    find: (due: Pick<Due, 'action' | 'id'>): Due | undefined => dues.get(keyOf(due)),
    drop(id: AskId): void {
      dues.delete(keyOf({ action: 'expire', id }))
      dues.delete(keyOf({ action: 'hand-over', id }))
    },
    forget(sessionId: SessionId): void {
      for (const [key, due] of dues) if (due.sessionId === sessionId) dues.delete(key)
    },
    stop(): void {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
