// The tools that a session keeps of its agent, and its further instructions.
import type { AgentTool, SessionState } from '@quarterdeck/protocol'
import type { SessionTools } from '../../backends/backend.ts'
import { ownNameOf } from '../../tool-names/client-tool-names.ts'
import { isListed } from '../../tool-names/host-tool-names.ts'
import { canonicalToolName } from './available-tools.ts'

/** Exactly as in the agent file. */
export const allSessionTools: SessionTools = { instructions: null, has: () => true }

export function selectSessionTools(
  { instructions = '', allowedTools }: Pick<SessionState, 'instructions' | 'allowedTools'>,
  tools: readonly AgentTool[],
): SessionTools {
  const allowed = allowedTools?.map(canonicalToolName)
  return {
    instructions: instructions === '' ? null : instructions,
    has: (toolName) => allowed === undefined || isAllowed(allowed, tools, canonicalToolName(toolName)),
  }
}

/** A tool may be listed by the name the model uses, by its bare MCP name, or by its client's name. */
function isAllowed(allowed: readonly string[], tools: readonly AgentTool[], toolName: string): boolean {
  if (isListed(tools, allowed, toolName)) return true
  // An agent that may start a subagent may also message it.
  if (toolName === 'SendMessage') return allowed.includes('Agent')
  const ownName = ownNameOf(toolName) ?? /^mcp__.+?__(.+)$/s.exec(toolName)?.[1]
  return ownName !== undefined && allowed.includes(ownName)
}
