// Allows one builder at a time. The lock is a folder that holds one file, named after the builder; empty or missing, it
// is free. The file of a dead builder is removed by its name, so a newer lock cannot be removed by mistake.
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 100
// Bounds the wait in case the process id was reused. A build takes seconds.
const DEADLINE_MS = 5 * 60_000

/**
 * @param {string} path
 * @param {(line: string) => void} say
 * @returns {Promise<() => Promise<void>>} releases the lock
 */
export async function acquireBuildLock(path, say) {
  const startedAt = Date.now()
  const builder = `${process.pid}.${randomUUID()}`
  const ready = `${path}.${builder}`
  await mkdir(ready)
  try {
    await writeFile(join(ready, builder), '')
    let announced = false
    while (!(await tryToLock(ready, path))) {
      if (await removeDeadBuilder(path)) continue
      if (Date.now() - startedAt > DEADLINE_MS) {
        throw new Error(`another build holds ${path} for more than five minutes; delete that folder if none is running`)
      }
      if (!announced) say('waiting for another build of this checkout …')
      announced = true
      await sleep(POLL_MS)
    }
  } finally {
    await rm(ready, { recursive: true, force: true })
  }
  return () => rm(join(path, builder), { force: true })
}

/**
 * A folder can be renamed onto an empty folder only.
 * @param {string} ready
 * @param {string} path
 */
async function tryToLock(ready, path) {
  try {
    // Some systems refuse to rename onto any existing folder. `rmdir` also removes only an empty one.
    if (process.platform === 'win32') await rmdir(path).catch(() => undefined)
    await rename(ready, path)
    return true
  } catch (error) {
    if (hasCode(error, 'ENOTEMPTY', 'EEXIST') || (process.platform === 'win32' && hasCode(error, 'EPERM'))) return false
    throw error
  }
}

/** @param {string} path */
async function removeDeadBuilder(path) {
  for (const builder of await buildersIn(path)) {
    if (isAlive(Number.parseInt(builder, 10))) continue
    await rm(join(path, builder), { force: true })
    return true
  }
  return false
}

/** @param {string} path */
async function buildersIn(path) {
  try {
    return await readdir(path)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the process is alive but belongs to another user.
    return !hasCode(error, 'ESRCH')
  }
}

/**
 * @param {unknown} error
 * @param {...string} codes
 */
function hasCode(error, ...codes) {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
