// A minimal reader of server-sent events. Both sides of a measurement use it.
import { request } from 'node:http'

/**
 * @typedef {object} SseReader
 * @property {Promise<void>} opened the response headers have arrived
 * @property {Promise<void>} ended
 * @property {() => void} close
 */

/**
 * @param {string} url
 * @param {{ token?: string, onFrame: (frame: string) => void }} options
 * @returns {SseReader}
 */
export function readSse(url, { token, onFrame }) {
  const headers = { accept: 'text/event-stream', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) }
  const outgoing = request(url, { headers, agent: false })
  /** @type {() => void} */
  let end
  /** @type {Promise<void>} */
  const ended = new Promise((resolve) => {
    end = resolve
  })
  /** @type {Promise<void>} */
  const opened = new Promise((resolve, reject) => {
    outgoing.once('response', (response) => {
      if (response.statusCode !== 200) return reject(new Error(`${url} answered ${response.statusCode}`))
      let rest = ''
      response.setEncoding('utf8')
      response.on('data', (/** @type {string} */ text) => {
        const frames = (rest + text).split('\n\n')
        rest = frames.pop() ?? ''
        for (const frame of frames) if (frame.includes('data: ')) onFrame(frame)
      })
      response.once('close', () => end())
      resolve()
    })
    outgoing.once('error', (error) => {
      reject(error)
      end()
    })
  })
  outgoing.end()
  return { opened, ended, close: () => outgoing.destroy() }
}

/**
 * The event of a frame.
 * @param {string} frame
 * @returns {any}
 */
export const eventOfFrame = (frame) => JSON.parse(frame.slice(frame.indexOf('data: ') + 6))
