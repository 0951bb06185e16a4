// Waits for a child that leads its own process group, and ends the whole group at its time limit or when it is stopped.
import { once } from 'node:events'

/**
 * @typedef {object} Bounds
 * @property {number} boundMs how long it may take
 * @property {number} graceMs how long it may take to end once it was told to
 * @property {AbortSignal} stop tells it to end
 * @property {AbortSignal} kill ends it at once
 */

/** @typedef {{ code: number, isOutOfTime: boolean, isStopped: boolean }} End */

/**
 * @param {import('node:child_process').ChildProcess} child spawned with `detached`
 * @param {Bounds} bounds
 * @returns {Promise<End>}
 */
export async function endOfGroup(child, { boundMs, graceMs, stop, kill }) {
  let isOutOfTime = false
  /** @type {NodeJS.Timeout | undefined} */
  let forced
  const end = () => signalGroup(child, 'SIGKILL')
  const ask = () => {
    signalGroup(child, 'SIGINT')
    forced ??= setTimeout(end, graceMs)
  }
  const bound = setTimeout(() => {
    isOutOfTime = !stop.aborted
    ask()
  }, boundMs)
  const closed = once(child, 'close')
  stop.addEventListener('abort', ask)
  kill.addEventListener('abort', end)
  if (stop.aborted) ask()
  if (kill.aborted) end()
  const [code] = await closed
  stop.removeEventListener('abort', ask)
  kill.removeEventListener('abort', end)
  clearTimeout(bound)
  clearTimeout(forced)
  return { code: Number(code ?? 1), isOutOfTime, isStopped: stop.aborted && !isOutOfTime }
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {NodeJS.Signals} signal
 */
function signalGroup({ pid }, signal) {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch {
    // The whole group has ended meanwhile.
  }
}
