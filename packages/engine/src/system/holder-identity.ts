import { randomUUID } from 'node:crypto'
import { hasErrorCode } from '@quarterdeck/protocol'
import { identify, isRunning } from './linux-processes.ts'

export interface HolderIdentity {
  readonly id: string
  readonly pid: number
  /** Distinguishes a reused pid from the old process. */
  readonly startTime: string
}

/** Every call returns another `id`, so that two holders within one process are distinct. */
export const ownIdentity = (): HolderIdentity => ({
  id: randomUUID(),
  pid: process.pid,
  startTime: identify(process.pid).startTime ?? unknown,
})

const unknown = 'unknown'

/**
 * Where start times cannot be read, any process with this pid counts as alive: refusing a live holder's data is safer
 * than two writers on it.
 */
export const isHolderAlive = ({ pid, startTime }: Pick<HolderIdentity, 'pid' | 'startTime'>): boolean =>
  startTime === unknown ? hasProcess(pid) : isRunning({ pid, startTime })

function hasProcess(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return hasErrorCode(error, 'EPERM')
  }
}
