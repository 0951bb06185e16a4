import { randomUUID } from 'node:crypto'
import type { Holder } from '../store/ports/event-store.ts'
import { identify, isRunning } from './linux-processes.ts'

export const thisProcess = (role: Holder['role'], address: string | null): Holder => ({
  ...ownIdentity(),
  role,
  address,
})

/** New with every call: parts of one process tell each other apart by it. */
export const ownIdentity = (): Pick<Holder, 'id' | 'pid' | 'startTime'> => ({
  id: randomUUID(),
  pid: process.pid,
  startTime: identify(process.pid).startTime ?? unknown,
})

const unknown = 'unknown'

/** Where start times cannot be read, a process that answers to the pid counts as alive: better refused than torn. */
export function isHolderAlive({ pid, startTime }: Pick<Holder, 'pid' | 'startTime'>): boolean {
  return startTime === unknown ? answers(pid) : isRunning({ pid, startTime })
}

function answers(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Somebody else's process is there all the same; anything else means that nobody is.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
