// Sessions of the real CLI that stream at the same time, with the SDK alone and through a server.
import { startBareSession } from './bare-sdk.mjs'
import { nowNs } from './clock.mjs'
import { stampsOfMessage, stampsOfText } from './stamped-text.mjs'
import { clientOf, isIdle, watchSession } from './watched-session.mjs'

/** @typedef {import('@quarterdeck/protocol').SessionId} SessionId */
/** @typedef {{ at: number, stamps: readonly number[] }} Frame the tokens that a reader received together, with their send times */

/**
 * @param {import('./bare-sdk.mjs').BenchAgent} agent
 * @param {import('./bare-sdk.mjs').BareSessionOptions} options
 */
export function openBareStreams(agent, options) {
  /** @type {Awaited<ReturnType<typeof startBareSession>>[]} */
  const opened = []
  return {
    /** @param {number} count */
    async grow(count) {
      while (opened.length < count) {
        const name = `${options.name}-${opened.length}`
        const session = await startBareSession(agent, { ...options, name, config: name })
        await session.turn('Warm up.', () => undefined) // sequential: cold starts do not run faster in parallel
        opened.push(session)
      }
    },
    /** @returns {Promise<Frame[]>} */
    async stream() {
      /** @type {Frame[]} */
      const frames = []
      const onMessage = (/** @type {unknown} */ message) => {
        const stamps = stampsOfMessage(message)
        if (stamps.length > 0) frames.push({ at: nowNs(), stamps })
      }
      await Promise.all(opened.map((session) => session.turn('Go on.', onMessage)))
      return frames
    },
    async close() {
      await Promise.all(opened.map((session) => session.close()))
    },
  }
}

/** @param {import('./watched-session.mjs').Server} server */
export function openServedStreams(server) {
  const client = clientOf(server)
  /** @type {{ sessionId: SessionId, watched: import('./watched-session.mjs').WatchedSession }[]} */
  const opened = []
  /** @type {Frame[]} */
  let frames = []
  return {
    /** @param {number} count */
    async grow(count) {
      while (opened.length < count) {
        const { sessionId } = await client.createSession({ agent: 'bench' })
        const watched = watchSession(server, sessionId)
        await watched.opened
        const idle = watched.next(isIdle)
        await client.sendMessage(sessionId, { content: 'Warm up.' })
        await idle
        watched.listen((event) => {
          if (event.type === 'AgentStreamToken') frames.push({ at: nowNs(), stamps: stampsOfText(event.data.text) })
        })
        opened.push({ sessionId, watched })
      }
    },
    /** @returns {Promise<Frame[]>} */
    async stream() {
      frames = []
      const idle = opened.map(({ watched }) => watched.next(isIdle))
      await Promise.all(opened.map(({ sessionId }) => client.sendMessage(sessionId, { content: 'Go on.' })))
      await Promise.all(idle)
      return frames
    },
    async close() {
      for (const { sessionId, watched } of opened) {
        watched.close()
        await client.close(sessionId)
      }
    },
  }
}
