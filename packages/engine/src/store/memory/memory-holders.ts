import type { SessionId } from '@quarterdeck/protocol'
import type { EventStore, Holder } from '../ports/event-store.ts'
import { admitHolder, grantLease, type Lease } from '../sql/leases/grant-lease.ts'

type LeaseStore = Pick<EventStore, 'register' | 'unregister' | 'holders' | 'lease' | 'release' | 'holderOf'>

interface MemoryHolders extends LeaseStore {
  /** 0 for a session nobody ever held. */
  fencingOf(sessionId: SessionId): number
  drop(sessionId: SessionId): void
}

export function createMemoryHolders(): MemoryHolders {
  const holders = new Map<string, Holder>()
  const leases = new Map<SessionId, Lease>()

  function forget(holder: Holder): void {
    holders.delete(holder.id)
    for (const sessionId of leases.keys()) release(sessionId, holder)
  }

  function release(sessionId: SessionId, holder: Holder): void {
    const lease = leases.get(sessionId)
    if (lease?.holder?.id === holder.id) leases.set(sessionId, { ...lease, holder: null })
  }

  return {
    fencingOf: (sessionId) => leases.get(sessionId)?.fencing ?? 0,
    drop: (sessionId) => void leases.delete(sessionId),
    async register(holder, isAlive) {
      for (const dead of admitHolder(holder, [...holders.values()], isAlive)) forget(dead)
      holders.set(holder.id, holder)
    },
    unregister: async (holder) => forget(holder),
    holders: async () => [...holders.values()],
    async lease(sessionId, holder, isAlive) {
      const lease = grantLease(sessionId, leases.get(sessionId) ?? null, { holder, isAlive })
      leases.set(sessionId, lease)
      return lease.fencing
    },
    release: async (sessionId, holder) => release(sessionId, holder),
    holderOf: async (sessionId) => leases.get(sessionId)?.holder ?? null,
  }
}
