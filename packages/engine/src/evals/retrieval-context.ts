// What the agent found before it answered: the results of its search tools and of MCP servers that count as such.
import { type AgentDefinition, type ExecutionResult, isRetrievalTool } from '@quarterdeck/protocol'
import { toolOf } from '../tool-names/host-tool-names.ts'

export function retrievalContext(
  { tools }: Pick<AgentDefinition, 'tools'>,
  { toolCalls, toolResults }: Pick<ExecutionResult, 'toolCalls' | 'toolResults'>,
): readonly string[] {
  const isSearch = (name: string) => {
    const tool = toolOf(tools, name)
    return tool !== null && (isRetrievalTool(tool) || (tool.type === 'mcp' && tool.isRetrieval))
  }
  const calls = new Set(toolCalls.filter(({ name }) => isSearch(name)).map(({ callId }) => callId))
  return toolResults.filter(({ callId, isError }) => calls.has(callId) && !isError).map(({ result }) => result)
}
