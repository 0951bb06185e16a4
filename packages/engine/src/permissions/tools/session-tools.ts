// What one session has less than its agent, and what is said to it more.
import type { AgentTool, SessionState } from '@quarterdeck/protocol'
import { ownNameOf } from '../../tool-names/client-tool-names.ts'
import { isListed } from '../../tool-names/host-tool-names.ts'
import { canonicalToolName } from './available-tools.ts'

export interface SessionTools {
  /** Said behind the instructions of the agent file. */
  readonly instructions: string | null
  /** Whether a tool that the agent has is one of this session's, by the name the model calls it by. */
  has(toolName: string): boolean
}

/** As the agent file says, and no other way. */
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

/** Written as in an agent file: by the name the model calls it by, by its bare MCP name, or by its client's name. */
function isAllowed(allowed: readonly string[], tools: readonly AgentTool[], toolName: string): boolean {
  if (isListed(tools, allowed, toolName)) return true
  // Whoever may start a subagent may go on with it.
  if (toolName === 'SendMessage') return allowed.includes('Agent')
  const ownName = ownNameOf(toolName) ?? /^mcp__.+?__(.+)$/s.exec(toolName)?.[1]
  return ownName !== undefined && allowed.includes(ownName)
}
