import { setTimeout as sleep } from 'node:timers/promises'
import { descendantsOf, isRunning, type ProcessIdentity, processesWith } from '../system/linux-processes.ts'

/** Children inherit it: what a dead server left behind is found by it. */
export const markerVariable = 'QUARTERDECK_PROCESS'

/**
 * Kills a process, what it started and whatever still carries its marker, and waits until they are gone. Returns how
 * many there were.
 */
export async function killTree(root: ProcessIdentity, marker: string): Promise<number> {
  const killed = new Map<number, ProcessIdentity>()
  // One that is dying has lost its environment and its parent, and is still there: so those met before count too.
  const members = () => {
    const below = isRunning(root) ? [root, ...descendantsOf(root.pid)] : []
    const marked = processesWith(markerVariable, marker)
    const all = [...killed.values(), ...below, ...marked].filter(isRunning)
    return new Map(all.map((one) => [one.pid, one])).values()
  }
  // A shell may fork while we look: look again until nobody is left.
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
