// An agent that writes durable events at a steady pace, each with the time it was handed over.
import { setTimeout as sleep } from 'node:timers/promises'
import { draft } from '@quarterdeck/protocol'
import { createAgentSession, emptyTurn, endTurn, invokeOnce } from '../built.mjs'
import { nowNs } from '../clock.mjs'
import { pacedText } from '../paced-text.mjs'

/** The prompt sets the number and the rate: `{"count": 300, "perSecond": 100}`. */
export function createPacedBackend() {
  const createSession = async () => createAgentSession(driver)
  return {
    async initialize() {},
    /** @type {import('@quarterdeck/engine').AgentBackend['invokeOnce']} */
    invokeOnce: (message, session, context) => invokeOnce(createSession, session, { message, context }),
    createSession,
    async branch() {
      return null
    },
    async forget() {},
    async teardown() {},
  }
}

const driver = {
  /** @param {string} input */
  async *turn(input) {
    const { count, perSecond } = JSON.parse(input)
    const startedAt = performance.now()
    for (let index = 0; index < count; index += 1) {
      const wait = startedAt + (index * 1000) / perSecond - performance.now()
      if (wait > 0) await sleep(wait)
      yield draft('RawBackendMessage', { kind: 'bench', message: { text: pacedText(nowNs()) } })
    }
    yield endTurn(emptyTurn, { outcome: 'completed', durationMs: 0 })
  },
  async interrupt() {},
  async setModel() {},
  async setPermissionMode() {},
  async close() {},
}
