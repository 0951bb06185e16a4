// The processes of this machine, read from /proc. A zombie counts as ended: only its entry is left.
import { readdir, readFile } from 'node:fs/promises'
import { hasErrorCode } from '@quarterdeck/protocol'

/** Command lines of live processes that contain all of these strings, for example a data folder. */
export async function processesMentioning(...texts: readonly string[]): Promise<readonly string[]> {
  return (await findProcesses(texts)).map(({ pid, line }) => `${pid} ${line}`)
}

interface FoundProcess {
  readonly pid: number
  readonly parent: number
  readonly line: string
}

async function findProcesses(texts: readonly string[]): Promise<readonly FoundProcess[]> {
  const found: FoundProcess[] = []
  const { startedAt } = await statOf('self')
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue
    try {
      const stat = await statOf(pid)
      // Processes older than this test are not ours.
      if (stat.state === 'Z' || stat.startedAt < startedAt) continue
      const line = await readFile(`/proc/${pid}/cmdline`, 'utf8')
      const text = line + (await environmentOf(pid))
      if (!texts.every((one) => text.includes(one))) continue
      found.push({ pid: Number(pid), parent: stat.parent, line: line.replaceAll('\0', ' ') })
    } catch (error) {
      if (!hasErrorCode(error, 'ENOENT', 'ESRCH')) throw error
      // The process ended meanwhile.
    }
  }
  return found
}

async function statOf(pid: string): Promise<{ state: string | undefined; parent: number; startedAt: number }> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // The name may contain spaces, so fields are counted after its last bracket. State is field 3, parent 4, start 22.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0], parent: Number(fields[1]), startedAt: Number(fields[19]) }
}

/** A process of another user is not readable and not ours. An unreadable process of our own must not count as ended. */
async function environmentOf(pid: string): Promise<string> {
  try {
    return await readFile(`/proc/${pid}/environ`, 'utf8')
  } catch (error) {
    if (!hasErrorCode(error, 'EACCES')) throw error
    const user = /^Uid:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]
    if (Number(user) === process.getuid?.()) throw error
    return ''
  }
}

/** The agents' CLIs of a data folder by process id, without their sandbox wrappers. */
export async function cliProcesses(dataDir: string): Promise<readonly number[]> {
  const named = (await findProcesses([dataDir])).filter(({ line }) => /^\S*\/claude /.test(line))
  // A child of the CLI has the command line of the CLI until it calls exec.
  return named.filter(({ parent }) => !named.some(({ pid }) => pid === parent)).map(({ pid }) => pid)
}
