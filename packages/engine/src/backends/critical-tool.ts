// A tool that the agent file calls critical: when it fails, the turn has failed.
import { type AgentTool, assertNever, errorReasons } from '@quarterdeck/protocol'
import { clientToolName } from '../client-tool.ts'
import { hostToolName, mcpToolName, searchToolName } from '../host-tool.ts'
import type { BackendEvent } from './backend.ts'
import type { TurnDriver } from './create-agent-session.ts'

/**
 * Ends a turn as failed when a critical tool of these fails; other failures go back to the model. A call that was
 * refused or stopped is no failure of its tool.
 */
export function endOnCriticalFailure(driver: TurnDriver, tools: readonly AgentTool[]): Pick<TurnDriver, 'turn'> {
  if (!tools.some(({ isCritical }) => isCritical)) return { turn: driver.turn }
  return {
    async *turn(...said) {
      let failed: string | null = null
      for await (const event of driver.turn(...said)) {
        if (failed === null) {
          failed = criticalFailure(event, tools)
          if (failed !== null) void driver.interrupt()
        }
        yield failed !== null && event.type === 'TurnEnded' ? asFailed(event, failed) : event
      }
    },
  }
}

function criticalFailure(event: BackendEvent, tools: readonly AgentTool[]): string | null {
  if (event.type !== 'ToolExecuted' || !event.data.isError || event.data.withoutResult === true) return null
  const tool = toolOf(event.data.toolName, tools)
  return tool?.isCritical === true ? tool.name : null
}

/** What killed the process, or stopped it for its limits, is told as that. */
function asFailed(
  ended: Extract<BackendEvent, { type: 'TurnEnded' }>,
  name: string,
): Extract<BackendEvent, { type: 'TurnEnded' }> {
  const { outcome, result } = ended.data
  if (outcome !== 'interrupted' && outcome !== 'completed' && outcome !== 'failed') return ended
  const failed = { ...result, isError: true, errorReason: errorReasons.toolFailed(name) }
  return { ...ended, data: { ...ended.data, outcome: 'failed', result: failed } }
}

/** The tool of the agent file that the model calls by this name; of servers whose names begin alike, the longer. */
export function toolOf(toolName: string, tools: readonly AgentTool[]): AgentTool | undefined {
  return tools
    .filter((tool) => isCalledBy(tool, toolName))
    .reduce<AgentTool | undefined>(
      (longest, tool) => (longest !== undefined && longest.name.length >= tool.name.length ? longest : tool),
      undefined,
    )
}

function isCalledBy(tool: AgentTool, toolName: string): boolean {
  switch (tool.type) {
    case 'mcp':
      return toolName.startsWith(mcpToolName(tool.name, ''))
    case 'client':
      return toolName === clientToolName(tool.name)
    case 'vectorstore':
    case 'hierarchical_document':
      return toolName === searchToolName(tool.name)
    case 'function':
    case 'prompt':
    case 'skill':
      return toolName === hostToolName(tool.name)
    default:
      return assertNever(tool)
  }
}
