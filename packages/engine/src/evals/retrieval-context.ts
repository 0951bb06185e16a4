// What the agent found before it answered: the results of its search tools and of MCP servers that count as such.
import type { AgentDefinition, ExecutionResult } from '@quarterdeck/protocol'
import { mcpToolName, searchToolName } from '../host-tool.ts'

export function retrievalContext(
  { tools }: Pick<AgentDefinition, 'tools'>,
  { toolCalls, toolResults }: Pick<ExecutionResult, 'toolCalls' | 'toolResults'>,
): readonly string[] {
  const searching = new Set<string>()
  const servers: string[] = []
  for (const tool of tools) {
    if (tool.type === 'vectorstore' || tool.type === 'hierarchical_document') searching.add(searchToolName(tool.name))
    if (tool.type === 'mcp' && tool.isRetrieval) servers.push(mcpToolName(tool.name, ''))
  }
  const isSearch = (name: string) => searching.has(name) || servers.some((server) => name.startsWith(server))
  const calls = new Set(toolCalls.filter(({ name }) => isSearch(name)).map(({ callId }) => callId))
  return toolResults.filter(({ callId, isError }) => calls.has(callId) && !isError).map(({ result }) => result)
}
