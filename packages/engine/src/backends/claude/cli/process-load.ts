import { readFileSync } from 'node:fs'
import { descendantsOf, isRunning, type ProcessIdentity } from '../../../system/linux-processes.ts'

/** What a process and everything below it hold in memory; `null` where the system does not tell. */
export function residentBytesOf(root: ProcessIdentity): number | null {
  if (!isRunning(root)) return null
  const sizes = [root, ...descendantsOf(root.pid)].map(({ pid }) => residentBytes(pid)).filter((size) => size !== null)
  return sizes.length === 0 ? null : sizes.reduce((sum, size) => sum + size, 0)
}

function residentBytes(pid: number): number | null {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return kilobytes === undefined ? null : Number(kilobytes) * 1024
  } catch {
    // Gone meanwhile.
    return null
  }
}
