// The Claude backend as the engine makes it, with one ear more: when did the SDK's iterator give out each stamp?
import { silentLogger } from '@quarterdeck/engine'
import { modelCatalog } from '@quarterdeck/protocol'
import { availableTools, createClaudeBackend } from '../built.mjs'
import { nowNs } from '../clock.mjs'
import { stampsOfMessage } from '../stamped-text.mjs'

/** @param {{ dataDir: string, path: string }} place */
export function createTappedBackend({ dataDir, path }) {
  /** @type {[stamp: number, heardAt: number][]} */
  let heard = []
  /** @param {unknown} message */
  const tap = (message) => {
    const at = nowNs()
    for (const stamp of stampsOfMessage(message)) heard.push([stamp, at])
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
      const taken = heard
      heard = []
      return taken
    },
  }
}
