// Decides who may use a data folder and a session. Each store writes the decision in one transaction.
import type { SessionId } from '@quarterdeck/protocol'
import type { Holder } from '../../ports/event-store.ts'
import { sessionHeld, storeHeld } from '../../ports/store-errors.ts'

export type IsAlive = (holder: Holder) => boolean

/** A lease row remains without a holder, because the fencing number must never restart. */
export interface Lease {
  readonly fencing: number
  readonly holder: Holder | null
}

/** Refuses a second running server; otherwise returns the dead holders to remove. */
export function admitHolder(holder: Holder, known: readonly Holder[], isAlive: IsAlive): readonly Holder[] {
  const others = known.filter((other) => other.id !== holder.id)
  const dead = others.filter((other) => !isAlive(other))
  const rival = others.find((other) => other.role === 'server' && !dead.includes(other))
  if (holder.role === 'server' && rival !== undefined) throw storeHeld(rival)
  return dead
}

/** The lease after a request: unchanged if the holder already has it. */
export function grantLease(
  sessionId: SessionId,
  current: Lease | null,
  { holder, isAlive }: { holder: Holder; isAlive: IsAlive },
): Lease {
  if (current?.holder?.id === holder.id) return current
  if (current?.holder && isAlive(current.holder)) throw sessionHeld(sessionId, current.holder)
  return { fencing: (current?.fencing ?? 0) + 1, holder }
}
