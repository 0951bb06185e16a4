// Resources of a process, as the kernel counts them.
import { readdir, readFile } from 'node:fs/promises'

export interface Vitals {
  readonly residentMiB: number
  /** Open files and sockets. */
  readonly openFiles: number
}

export async function vitalsOf(pid: number): Promise<Vitals> {
  const [status, files] = await Promise.all([readFile(`/proc/${pid}/status`, 'utf8'), readdir(`/proc/${pid}/fd`)])
  const kibibytes = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1])
  return { residentMiB: Math.round(kibibytes / 1024), openFiles: files.length }
}
