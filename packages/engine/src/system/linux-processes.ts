// Processes as Linux shows them. Pids are reused: only a pid with its start time identifies a process.
import { readdirSync, readFileSync } from 'node:fs'

export interface ProcessIdentity {
  readonly pid: number
  /** In clock ticks since boot; `null` where the system does not report it. */
  readonly startTime: string | null
}

export function identify(pid: number): ProcessIdentity {
  return { pid, startTime: readStat(pid)?.startTime ?? null }
}

/** A zombie counts as gone: it only waits for its parent. */
export function isRunning({ pid, startTime }: ProcessIdentity): boolean {
  const stat = readStat(pid)
  return stat !== null && stat.state !== 'Z' && stat.state !== 'X' && stat.startTime === startTime
}

export function descendantsOf(pid: number): readonly ProcessIdentity[] {
  const all = allPids().flatMap((one) => {
    const stat = readStat(one)
    return stat === null ? [] : [{ pid: one, ...stat }]
  })
  const found: ProcessIdentity[] = []
  const queue = [pid]
  for (let parent = queue.shift(); parent !== undefined; parent = queue.shift()) {
    for (const child of all.filter((one) => one.parent === parent)) {
      found.push({ pid: child.pid, startTime: child.startTime })
      queue.push(child.pid)
    }
  }
  return found
}

/** Every process that inherited this variable with this value. */
export function processesWith(variable: string, value: string): readonly ProcessIdentity[] {
  const line = `${variable}=${value}`
  return allPids()
    .filter((pid) => readText(`/proc/${pid}/environ`)?.split('\0').includes(line) === true)
    .map(identify)
}

function allPids(): readonly number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
  } catch {
    // There is no /proc on this system, so nothing can be found.
    return []
  }
}

function readStat(pid: number): { readonly parent: number; readonly state: string; readonly startTime: string } | null {
  const text = readText(`/proc/${pid}/stat`)
  if (text === null) return null
  // The name in parentheses may contain anything, even spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, parent, startTime] = [fields[0], fields[1], fields[19]]
  if (state === undefined || parent === undefined || startTime === undefined) return null
  return { state, parent: Number(parent), startTime }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // The process has ended, or belongs to another user.
    return null
  }
}
