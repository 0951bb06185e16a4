import type { SessionId } from '@quarterdeck/protocol'
import type { EventStore, Holder } from '../event-store.ts'
import { admitHolder, grantLease, type Lease } from '../holding.ts'

type Holding = Pick<EventStore, 'register' | 'unregister' | 'lease' | 'release' | 'holderOf'>

export function createMemoryHolders(): Holding {
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
    async register(holder, isAlive) {
      for (const dead of admitHolder(holder, [...holders.values()], isAlive)) forget(dead)
      holders.set(holder.id, holder)
    },
    unregister: async (holder) => forget(holder),
    async lease(sessionId, holder, isAlive) {
      const lease = grantLease(sessionId, leases.get(sessionId) ?? null, { holder, isAlive })
      leases.set(sessionId, lease)
      return lease.fencing
    },
    release: async (sessionId, holder) => release(sessionId, holder),
    holderOf: async (sessionId) => leases.get(sessionId)?.holder ?? null,
  }
}
