// A session as a client sees it: reads one stream and waits for expected events.
import { createClient } from '@quarterdeck/client'
import { eventOfFrame, readSse } from './sse-client.mjs'

/** @typedef {{ url: string, token: string }} Server */
/** @typedef {ReturnType<typeof watchSession>} WatchedSession */

/**
 * @param {Server} server
 * @param {string} sessionId
 * @param {number} [after] the last known event
 */
export function watchSession({ url, token }, sessionId, after = 0) {
  /** @type {Set<(event: any) => void>} */
  const listeners = new Set()
  const reader = readSse(`${url}/v1/sessions/${sessionId}/events?after=${after}`, {
    token,
    onFrame(frame) {
      const event = eventOfFrame(frame)
      for (const listener of listeners) listener(event)
    },
  })
  return {
    opened: reader.opened,
    close: reader.close,
    /** @param {(event: any) => void} listener */
    listen(listener) {
      listeners.add(listener)
    },
    /**
     * Resolves with the next matching event.
     * @param {(event: any) => boolean} fits
     * @returns {Promise<any>}
     */
    next(fits) {
      return new Promise((resolve, reject) => {
        const listener = (/** @type {any} */ event) => {
          if (event.type === 'TurnEnded' && event.data.outcome !== 'completed') {
            reject(new Error(`the turn ended as ${event.data.outcome}: ${JSON.stringify(event.data.result)}`))
          }
          if (!fits(event)) return
          listeners.delete(listener)
          resolve(event)
        }
        listeners.add(listener)
      })
    },
  }
}

/** @param {any} event */
export const isStreamed = (event) => event.type === 'AgentStreamToken' || event.type === 'AgentStreamSnapshot'

/** @param {any} event */
export const isIdle = (event) => event.type === 'AgentSessionStatusChanged' && event.data.to === 'idle'

/** @param {Server} server */
export const clientOf = ({ url, token }) => createClient({ baseUrl: url, token })
