// One builder at a time: a file with the builder's process id. A lock whose process is gone is taken over.
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 100
// A bound against waiting for ever on a reused process id; a build takes seconds.
const DEADLINE_MS = 5 * 60_000

/**
 * @param {string} path
 * @param {(line: string) => void} say
 * @returns {Promise<() => Promise<void>>} gives the lock back
 */
export async function acquireBuildLock(path, say) {
  const startedAt = Date.now()
  let announced = false
  while (!(await tryToLock(path))) {
    if (await isAbandoned(path)) await discard(path)
    else if (Date.now() - startedAt > DEADLINE_MS) {
      throw new Error(`another build holds ${path} for more than five minutes; delete that file if none is running`)
    } else {
      if (!announced) say('waiting for another build of this checkout …')
      announced = true
      await sleep(POLL_MS)
    }
  }
  return () => rm(path, { force: true })
}

/** @param {string} path */
async function tryToLock(path) {
  try {
    await writeFile(path, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

/** @param {string} path */
async function isAbandoned(path) {
  try {
    const pid = Number(await readFile(path, 'utf8'))
    // Created but not yet written: only a builder that died in between leaves it so for long.
    if (!pid) return Date.now() - (await stat(path)).mtimeMs > 2_000
    process.kill(pid, 0)
    return false
  } catch (error) {
    // EPERM: alive, of another user. ENOENT: given back meanwhile.
    return hasCode(error, 'ESRCH')
  }
}

/**
 * By renaming, so that of several waiters exactly one removes it.
 * @param {string} path
 */
async function discard(path) {
  const aside = `${path}.${process.pid}`
  try {
    await rename(path, aside)
    await rm(aside, { force: true })
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
  }
}

/**
 * @param {unknown} error
 * @param {string} code
 */
function hasCode(error, code) {
  return error instanceof Error && 'code' in error && error.code === code
}
