// The Claude backend as the engine creates it. It also records when the SDK's iterator returned each timestamp.
import { silentLogger } from '@quarterdeck/engine'
import { modelCatalog } from '@quarterdeck/protocol'
import { availableTools, createClaudeBackend } from '../built.mjs'
import { nowNs } from '../clock.mjs'
import { stampsOfMessage } from '../stamped-text.mjs'

/** @param {{ dataDir: string, path: string }} place */
export function createTappedBackend({ dataDir, path }) {
  /** @type {[stamp: number, heardAt: number][]} */
  let received = []
  /** @param {unknown} message */
  const tap = (message) => {
    const at = nowNs()
    for (const stamp of stampsOfMessage(message)) received.push([stamp, at])
  }
  return {
    /** @param {import('@quarterdeck/protocol').AgentDefinition} agent */
    create: (agent) =>
      createClaudeBackend({
        agent,
        dataDir,
        path,
        tap,
        tools: availableTools(agent.claude),
        logger: silentLogger,
        catalog: async () => modelCatalog,
        clock: { now: () => new Date() },
      }),
    take() {
      const taken = received
      received = []
      return taken
    },
  }
}
