// Some client tools end the turn: their result is for the client, and the model is not asked again.
import type { AttachedClient } from '@quarterdeck/protocol'
import type { HookSource } from '../../hooks/create-hook-points.ts'
import { clientToolName } from '../../tool-names/client-tool-names.ts'

/**
 * Ends the turn after a successful call of such a tool. A Claude process subscribes to hooks when it starts: if no such
 * tool is attached then, later ones do not end turns in that process.
 */
export function turnEndingTools(clients: () => readonly AttachedClient[]): HookSource {
  const names = () =>
    clients()
      .flatMap(({ tools }) => tools)
      .filter(({ endsTurn }) => endsTurn === true)
      .map(({ name }) => clientToolName(name))
  return {
    hasListener: (event) => event === 'PostToolUse' && names().length > 0,
    async run(event, { tool_name: toolName }) {
      if (event !== 'PostToolUse' || typeof toolName !== 'string' || !names().includes(toolName)) return {}
      return { continue: false, stopReason: 'this tool ends the turn' }
    },
  }
}
