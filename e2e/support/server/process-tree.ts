// What runs on this machine, read from /proc. A zombie has ended: only its entry is left.
import { readdir, readFile } from 'node:fs/promises'

/** Command lines of live processes that mention all of these, for example the data folder they work for. */
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
      // What ran before this test was started by somebody else.
      if (stat.state === 'Z' || stat.startedAt < startedAt) continue
      const line = await readFile(`/proc/${pid}/cmdline`, 'utf8')
      const said = line + (await environmentOf(pid))
      if (!texts.every((text) => said.includes(text))) continue
      found.push({ pid: Number(pid), parent: stat.parent, line: line.replaceAll('\0', ' ') })
    } catch (error) {
      if (!isErrorOf(error, 'ENOENT', 'ESRCH')) throw error
      // It ended while we looked.
    }
  }
  return found
}

async function statOf(pid: string): Promise<{ state: string | undefined; parent: number; startedAt: number }> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // The name before the last bracket may hold anything, spaces too; state is field 3, the parent 4 and the start 22.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0], parent: Number(fields[1]), startedAt: Number(fields[19]) }
}

/** Another user's process keeps it to itself and is none of ours; one of our own that does so must not pass for gone. */
async function environmentOf(pid: string): Promise<string> {
  try {
    return await readFile(`/proc/${pid}/environ`, 'utf8')
  } catch (error) {
    if (!isErrorOf(error, 'EACCES')) throw error
    const user = /^Uid:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]
    if (Number(user) === process.getuid?.()) throw error
    return ''
  }
}

const isErrorOf = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code))

/** The agents' CLIs working for a data folder, by process id; the wrappers that shut them in are not among them. */
export async function cliProcesses(dataDir: string): Promise<readonly number[]> {
  const named = (await findProcesses([dataDir])).filter(({ line }) => /^\S*\/claude /.test(line))
  // What a CLI is about to start has the CLI's own command line until it has become what it is.
  return named.filter(({ parent }) => !named.some(({ pid }) => pid === parent)).map(({ pid }) => pid)
}
