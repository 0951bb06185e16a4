// One side of a measurement as a process of its own, so that its CPU and memory are its own too.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { minimalEnvironment } from './folders.mjs'

/**
 * @typedef {object} Host
 * @property {(name: string, input?: unknown) => Promise<any>} call runs one of the host's functions
 * @property {() => Promise<void>} close lets it end, and ends it when it does not
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
  const execArgv = ['--expose-gc'] // so that memory can be told apart from garbage
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
    await call('close').catch(() => undefined) // it may be gone already
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
