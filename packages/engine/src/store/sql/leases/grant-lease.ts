// Who may work on a data folder and on a session. Decided here, written by each store in one transaction.
import type { SessionId } from '@quarterdeck/protocol'
import type { Holder } from '../../ports/event-store.ts'
import { sessionHeld, storeHeld } from '../../ports/store-errors.ts'

export type IsAlive = (holder: Holder) => boolean

/** A lease outlives its holder as a row without one: the fencing number must never start again. */
export interface Lease {
  readonly fencing: number
  readonly holder: Holder | null
}

/** Refuses a second live server; else names the dead holders to forget. */
export function admitHolder(holder: Holder, known: readonly Holder[], isAlive: IsAlive): readonly Holder[] {
  const others = known.filter((other) => other.id !== holder.id)
  const dead = others.filter((other) => !isAlive(other))
  const rival = others.find((other) => other.role === 'server' && !dead.includes(other))
  if (holder.role === 'server' && rival !== undefined) throw storeHeld(rival)
  return dead
}

/** The lease as it stands after a holder asked for it: unchanged if it has it already. */
export function grantLease(
  sessionId: SessionId,
  current: Lease | null,
  { holder, isAlive }: { holder: Holder; isAlive: IsAlive },
): Lease {
  if (current?.holder?.id === holder.id) return current
  if (current?.holder && isAlive(current.holder)) throw sessionHeld(sessionId, current.holder)
  return { fencing: (current?.fencing ?? 0) + 1, holder }
}
