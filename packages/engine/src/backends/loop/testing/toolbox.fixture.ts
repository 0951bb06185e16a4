import type { HostTool, HostToolbox } from '../../../ports/host-toolbox.ts'
import type { ToolCall, ToolOutput } from '../../../ports/tool-call.ts'

/** A toolbox with the given handler for each tool name. */
export function toolboxOf(
  tools: Readonly<Record<string, (call: ToolCall, signal: AbortSignal) => Promise<ToolOutput>>>,
  descriptions: Readonly<Record<string, string>> = {},
): HostToolbox {
  const inputSchema = { type: 'object', properties: {} }
  const list = (): readonly HostTool[] =>
    Object.keys(tools).map((name) => ({ name, description: descriptions[name] ?? name, inputSchema }))
  return {
    list,
    onChange: () => () => undefined,
    servers: () => [{ name: 'tools', status: 'connected', error: null }],
    onServer: () => () => undefined,
    call: async (call, signal) => tools[call.toolName]?.(call, signal) ?? { output: 'no such tool', isError: true },
  }
}

export const says =
  (output: string, isError = false) =>
  async (): Promise<ToolOutput> => ({ output, isError })
