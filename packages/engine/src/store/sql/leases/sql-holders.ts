import type { SessionId } from '@quarterdeck/protocol'
import type { Selectable, Transaction } from 'kysely'
import { type EventStore, Holder } from '../../ports/event-store.ts'
import { sessionHeld, storeHeld } from '../../ports/store-errors.ts'
import type { StoreTables } from '../database/tables.ts'
import type { SqlDependencies } from '../sql-dependencies.ts'

type LeaseStore = Pick<EventStore, 'register' | 'unregister' | 'holders' | 'lease' | 'release' | 'holderOf'>

/**
 * Reading and writing holders is one transaction with the write lock, so two processes cannot both win. Unsynced,
 * because a power failure that undoes it has ended every holder too.
 */
export function createSqlHolders({ db, commitUnsynced }: Pick<SqlDependencies, 'db' | 'commitUnsynced'>): LeaseStore {
  return {
    async register(holder, isAlive) {
      await commitUnsynced(async (trx) => {
        const known = await trx.selectFrom('holders').selectAll().execute()
        const dead = admitHolder(holder, known.map(holderOfRow), isAlive)
        await forget(trx, [...dead.map((one) => one.id)])
        const { id, ...row } = rowOfHolder(holder)
        await trx
          .insertInto('holders')
          .values({ id, ...row })
          .onConflict((on) => on.column('id').doUpdateSet(row))
          .execute()
      })
    },
    async unregister(holder) {
      await commitUnsynced((trx) => forget(trx, [holder.id]))
    },
    async holders() {
      return (await db.selectFrom('holders').selectAll().execute()).map(holderOfRow)
    },
    lease: (sessionId, holder, isAlive) =>
      commitUnsynced(async (trx) => {
        const row = await trx.selectFrom('leases').selectAll().where('session_id', '=', sessionId).executeTakeFirst()
        const current = row === undefined ? null : leaseOfRow(row)
        const granted = grantLease(sessionId, current, { holder, isAlive })
        if (granted === current) return granted.fencing
        const taken = { fencing: granted.fencing, holder_id: holder.id, holder: JSON.stringify(holder) }
        await trx
          .insertInto('leases')
          .values({ session_id: sessionId, ...taken })
          .onConflict((on) => on.column('session_id').doUpdateSet(taken))
          .execute()
        return granted.fencing
      }),
    async release(sessionId, holder) {
      await commitUnsynced((trx) =>
        trx
          .updateTable('leases')
          .set({ holder_id: null, holder: null })
          .where('session_id', '=', sessionId)
          .where('holder_id', '=', holder.id)
          .execute(),
      )
    },
    async holderOf(sessionId) {
      const row = await db.selectFrom('leases').selectAll().where('session_id', '=', sessionId).executeTakeFirst()
      return row === undefined ? null : leaseOfRow(row).holder
    },
  }
}

async function forget(trx: Transaction<StoreTables>, holderIds: readonly string[]): Promise<void> {
  if (holderIds.length === 0) return
  await trx.deleteFrom('holders').where('id', 'in', holderIds).execute()
  await trx.updateTable('leases').set({ holder_id: null, holder: null }).where('holder_id', 'in', holderIds).execute()
}

const rowOfHolder = ({ startTime, ...holder }: Holder) => ({ ...holder, start_time: startTime })

const holderOfRow = ({ start_time, ...row }: Selectable<StoreTables['holders']>): Holder => ({
  ...row,
  startTime: start_time,
})

const leaseOfRow = (row: Selectable<StoreTables['leases']>): Lease => ({
  fencing: row.fencing,
  holder: row.holder === null ? null : Holder.parse(JSON.parse(row.holder)),
})

type IsAlive = (holder: Holder) => boolean

/** A lease row remains without a holder, because the fencing number must never restart. */
interface Lease {
  readonly fencing: number
  readonly holder: Holder | null
}

/** Refuses a second running server; otherwise returns the dead holders to remove. */
function admitHolder(holder: Holder, known: readonly Holder[], isAlive: IsAlive): readonly Holder[] {
  const others = known.filter((other) => other.id !== holder.id)
  const dead = others.filter((other) => !isAlive(other))
  const rival = others.find((other) => other.role === 'server' && !dead.includes(other))
  if (holder.role === 'server' && rival !== undefined) throw storeHeld(rival)
  return dead
}

/** The lease after a request: unchanged if the holder already has it. */
function grantLease(
  sessionId: SessionId,
  current: Lease | null,
  { holder, isAlive }: { holder: Holder; isAlive: IsAlive },
): Lease {
  if (current?.holder?.id === holder.id) return current
  if (current?.holder && isAlive(current.holder)) throw sessionHeld(sessionId, current.holder)
  return { fencing: (current?.fencing ?? 0) + 1, holder }
}
