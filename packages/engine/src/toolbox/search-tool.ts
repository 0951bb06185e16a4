// Documents as a tool. The search itself is passed in.
import type { SearchTool } from '../ports/host-toolbox.ts'
import { createInputCheck } from './check-input.ts'
import { failed, type ToolSource } from './tool-source.ts'

export function openSearchTool({ hostTool, search, close }: SearchTool): ToolSource {
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
    close,
  }
}
