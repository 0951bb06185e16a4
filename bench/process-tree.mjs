// The child processes of a process, read from the kernel. Linux only: other systems return none.
import { readdir, readFile } from 'node:fs/promises'

/**
 * @param {number} pid
 * @returns {Promise<readonly { pid: number, residentMib: number }[]>}
 */
export async function descendantsOf(pid) {
  const parents = new Map()
  for (const name of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(name)) continue
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '') // the process may end meanwhile
    // The command, in brackets, may contain any character: the fields follow its last bracket.
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 1).split(' ')[2])
    if (Number.isInteger(parent)) parents.set(Number(name), parent)
  }
  const isBelow = (/** @type {number} */ child) => {
    for (let one = parents.get(child); one !== undefined && one !== 0; one = parents.get(one)) {
      if (one === pid) return true
    }
    return false
  }
  const below = [...parents.keys()].filter(isBelow)
  return Promise.all(below.map(async (child) => ({ pid: child, residentMib: await residentMib(child) })))
}

/**
 * NaN if the process does not exist.
 * @param {number} pid
 */
export async function residentMib(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? Number.NaN) / 1024
}

/** The unit in which the kernel counts CPU time. */
const msPerTick = 10

/**
 * CPU time of a process; NaN if it does not exist.
 * @param {number} pid
 */
export async function cpuMsOf(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const fields = stat.slice(stat.lastIndexOf(')') + 1).split(' ')
  return (Number(fields[12]) + Number(fields[13])) * msPerTick
}
