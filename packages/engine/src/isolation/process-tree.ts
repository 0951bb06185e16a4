import { sleep } from '@quarterdeck/protocol'
import { descendantsOf, isRunning, type ProcessIdentity, processesWith } from '../system/linux-processes.ts'

/** Inherited by children, so that the processes of a dead server can be found. */
export const markerVariable = 'QUARTERDECK_PROCESS'

/**
 * Starts agent processes in their own process group: Ctrl-C in a terminal reaches the whole foreground group, but the
 * server ends its agents in order and keeps open requests. On Windows a group would open a console window.
 */
export const ownGroup = { detached: process.platform !== 'win32' } as const

/** Kills a process, its descendants and all processes with its marker, and waits for their end. Returns their count. */
export async function killTree(root: ProcessIdentity, marker: string): Promise<number> {
  const killed = new Map<number, ProcessIdentity>()
  // A dying process has lost its environment and its parent but still exists, so processes seen before count as well.
  const members = () => {
    const below = isRunning(root) ? [root, ...descendantsOf(root.pid)] : []
    const marked = processesWith(markerVariable, marker)
    const all = [...killed.values(), ...below, ...marked].filter(isRunning)
    return new Map(all.map((one) => [one.pid, one])).values()
  }
  // A shell may fork between checks: repeat until no process is left.
  for (let round = 0; round < 100; round += 1) {
    const left = [...members()]
    if (left.length === 0) break
    for (const one of left) {
      killed.set(one.pid, one)
      kill(one.pid)
    }
    await sleep(20)
  }
  return killed.size
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Already gone.
  }
}
