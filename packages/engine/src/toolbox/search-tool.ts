// Documents as a tool. Who reads and searches them is handed in.
import type { SearchTool } from '../host-toolbox.ts'
import { createInputCheck } from './check-input.ts'
import { failed, type ToolPart } from './tool-part.ts'

export function searchPart({ hostTool, search, close }: SearchTool): ToolPart {
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
