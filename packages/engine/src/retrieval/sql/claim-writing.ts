// One process ingests at a time; the others wait and then find everything done. An expired claim of a dead process is
// taken over.
import { z } from 'zod'
import { type HolderIdentity, isHolderAlive } from '../../system/holder-identity.ts'
import { type PassageDatabase, setState, stateOf } from './open-passage-database.ts'

/** Identifies one open store: a process may open the same file several times. */
export type Writer = HolderIdentity

const Claim = z.object({ id: z.string(), pid: z.int(), startTime: z.string(), until: z.number() })

export function claimWriting(
  database: PassageDatabase,
  { writer, forMs, now }: { writer: Writer; forMs: number; now: number },
): boolean {
  const held = currentClaim(database)
  const isFree = held === null || held.id === writer.id || held.until < now || !isHolderAlive(held)
  if (!isFree) return false
  const { id, pid, startTime } = writer
  setState(database, 'claim', JSON.stringify({ id, pid, startTime, until: now + forMs }))
  return true
}

export function releaseWriting(database: PassageDatabase, { id }: Writer): void {
  if (currentClaim(database)?.id === id) database.run(`delete from state where key = 'claim'`)
}

function currentClaim(database: PassageDatabase): z.infer<typeof Claim> | null {
  const claim = stateOf(database, 'claim')
  return claim === null ? null : Claim.parse(JSON.parse(claim))
}
