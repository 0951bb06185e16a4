// A pid alone does not name a process: it is reused. With the time it started it does.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Holder } from './store/event-store.ts'

export const thisProcess = (role: Holder['role'], address: string | null): Holder => ({
  id: randomUUID(),
  role,
  pid: process.pid,
  startTime: startTimeOf(process.pid) ?? 'unknown',
  address,
})

/** Where start times cannot be read, a process that answers to the pid counts as alive: better refused than torn. */
export function isHolderAlive(holder: Holder): boolean {
  const startTime = startTimeOf(holder.pid)
  return startTime === undefined ? answers(holder.pid) : startTime === holder.startTime
}

/** Clock ticks since boot, as the kernel counts them; `undefined` for a process that is gone, and without /proc. */
function startTimeOf(pid: number): string | undefined {
  const fields = statFields(pid)
  const isZombie = fields?.[0] === 'Z'
  return isZombie ? undefined : fields?.[19]
}

/** The fields after the command name, which may itself hold spaces and brackets. */
function statFields(pid: number): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined // no such process, or no /proc on this system
  }
}

function answers(pid: number): boolean {
  if (process.platform === 'linux') return false // /proc has just said that it is gone
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false // ESRCH: nobody there
  }
}
