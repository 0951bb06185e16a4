// Documents as a tool. Who reads and searches them is handed in.
import type { AgentDefinition } from '@quarterdeck/protocol'
import type { HostTool } from '../backends/backend.ts'
import { createInputCheck } from './check-input.ts'
import { failed, type ToolPart } from './tool-part.ts'

export interface SearchTool {
  readonly hostTool: HostTool
  /** Throws a sentence when it cannot. */
  search(query: string, options: { topK?: number | undefined }, signal: AbortSignal): Promise<{ readonly text: string }>
}

/** Those of the agent that can be called, their documents up to date. Throws `tool.unavailable`. */
export type OpenSearchTools = (agent: AgentDefinition, signal: AbortSignal) => Promise<readonly SearchTool[]>

export function searchPart({ hostTool, search }: SearchTool): ToolPart {
  const check = createInputCheck(hostTool.inputSchema)
  return {
    list: () => [hostTool],
    async call({ toolInput }, signal) {
      const problem = check(toolInput)
      if (problem !== null) return failed(problem)
      const { query, top_k: topK } = toolInput
      const options = typeof topK === 'number' ? { topK } : {}
      const { text } = await search(String(query), options, signal)
      return { output: text, isError: false }
    },
    async close() {},
  }
}
