// One process ingests at a time; the others wait and then find everything done. Whoever died with a claim is overtaken.
import { z } from 'zod'
import type { PassageDatabase } from './open-passage-database.ts'

const Claim = z.object({ pid: z.int(), until: z.number() })

export function claimWriting(database: PassageDatabase, claim: { pid: number; forMs: number; now: number }): boolean {
  const held = currentClaim(database)
  const isFree = held === null || held.pid === claim.pid || held.until < claim.now || !isRunning(held.pid)
  if (!isFree) return false
  database.run(
    `insert into state (key, value) values ('claim', ?) on conflict (key) do update set value = excluded.value`,
    [JSON.stringify({ pid: claim.pid, until: claim.now + claim.forMs })],
  )
  return true
}

export function releaseWriting(database: PassageDatabase, pid: number): void {
  if (currentClaim(database)?.pid === pid) database.run(`delete from state where key = 'claim'`)
}

function currentClaim(database: PassageDatabase): z.infer<typeof Claim> | null {
  const [row] = database.all(`select value from state where key = 'claim'`)
  return row === undefined ? null : Claim.parse(JSON.parse(String(row.value)))
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Somebody else's process is a process.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
