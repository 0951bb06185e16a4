// Runs one side of a measurement in its own process, so that its CPU and memory can be measured separately.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { minimalEnvironment } from './folders.mjs'

/**
 * @typedef {object} Host
 * @property {(name: string, input?: unknown) => Promise<any>} call runs one of the host's functions
 * @property {() => Promise<void>} close asks it to end, and kills it after a timeout
 */

const closePatienceMs = 20_000

/**
 * @param {'model' | 'quarterdeck' | 'bare-stream' | 'loop-client'} name
 * @param {string} home
 * @param {unknown} [input] handed to the host's `open`
 * @returns {Promise<Host & { opened: any }>}
 */
export async function startHost(name, home, input) {
  const file = fileURLToPath(new URL(`./hosts/${name}.mjs`, import.meta.url))
  const execArgv = ['--expose-gc'] // lets the host collect garbage before memory is measured
  const child = fork(file, [], { execArgv, env: minimalEnvironment(home), serialization: 'advanced' })
  /** @type {Map<number, { resolve: (value: unknown) => void, reject: (error: Error) => void }>} */
  const waiting = new Map()
  let calls = 0
  const gone = once(child, 'exit')
  child.on('message', (/** @type {any} */ { id, value, error }) => {
    const call = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) call?.resolve(value)
    else call?.reject(new Error(`${name}: ${error}`))
  })
  child.on('exit', (code, signal) => {
    for (const { reject } of waiting.values()) reject(new Error(`${name} ended (${code ?? signal})`))
    waiting.clear()
  })

  /** @type {Host['call']} */
  const call = (method, argument) =>
    new Promise((resolve, reject) => {
      calls += 1
      const id = calls
      waiting.set(id, { resolve, reject })
      child.send({ id, method, argument }, (error) => {
        if (error === null) return
        waiting.delete(id)
        reject(error)
      })
    })

  const close = async () => {
    const timer = setTimeout(() => child.kill('SIGKILL'), closePatienceMs)
    await call('close').catch(() => undefined) // the process may have ended already
    if (child.connected) child.disconnect()
    await gone
    clearTimeout(timer)
  }

  try {
    return { call, close, opened: await call('open', input) }
  } catch (error) {
    await close()
    throw error
  }
}
