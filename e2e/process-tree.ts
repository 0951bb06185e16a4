// What runs on this machine, read from /proc. A zombie has ended: only its entry is left.
import { readdir, readFile } from 'node:fs/promises'

/** Command lines of live processes that mention a text, for example the data folder they work for. */
export async function processesMentioning(text: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue
    try {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
      const state = stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3)
      const [line, environment] = await Promise.all([
        readFile(`/proc/${pid}/cmdline`, 'utf8'),
        readFile(`/proc/${pid}/environ`, 'utf8'),
      ])
      if (state !== 'Z' && (line + environment).includes(text)) found.push(`${pid} ${line.replaceAll('\0', ' ')}`)
    } catch {
      // It ended while we looked.
    }
  }
  return found
}

/** The agents' CLIs working for a data folder, by process id; the wrappers that shut them in are not among them. */
export async function cliProcesses(dataDir: string): Promise<readonly number[]> {
  const lines = await processesMentioning(dataDir)
  return lines.filter((line) => /^\d+ \S*\/claude /.test(line)).map((line) => Number(line.split(' ')[0]))
}
