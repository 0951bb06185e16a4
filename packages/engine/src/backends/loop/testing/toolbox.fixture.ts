import { writeFileSync } from 'node:fs'
import type { HostToolbox } from '../../../ports/host-toolbox.ts'
import type { ToolCall, ToolOutput } from '../../../ports/tool-call.ts'
import { noHostTools } from '../../contract/unattended-options.contract.ts'

/** A toolbox with the given handler for each tool name. */
export function toolboxOf(
  tools: Readonly<Record<string, (call: ToolCall, signal: AbortSignal) => Promise<ToolOutput>>>,
  descriptions: Readonly<Record<string, string>> = {},
): HostToolbox {
  const inputSchema = { type: 'object', properties: {} }
  return {
    ...noHostTools,
    list: () => Object.keys(tools).map((name) => ({ name, description: descriptions[name] ?? name, inputSchema })),
    servers: () => [{ name: 'tools', status: 'connected', error: null }],
    call: async (call, signal) => tools[call.toolName]?.(call, signal) ?? { output: 'no such tool', isError: true },
  }
}

export const says =
  (output: string, isError = false) =>
  async (): Promise<ToolOutput> => ({ output, isError })

const text = { type: 'string' }

const objectOf = (properties: Readonly<Record<string, object>>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})

/** The two tools that the contract suite uses, in this process. */
export const shellTools: HostToolbox = {
  ...noHostTools,
  list: () => [
    { name: 'Bash', description: 'Runs a command.', inputSchema: objectOf({ command: text }) },
    { name: 'Write', description: 'Writes a file.', inputSchema: objectOf({ file_path: text, content: text }) },
  ],
  async call({ toolName, toolInput }) {
    if (toolName === 'Write') {
      writeFileSync(String(toolInput.file_path), String(toolInput.content))
      return { output: 'written', isError: false }
    }
    const command = String(toolInput.command)
    return { output: command.replace('echo ', ''), isError: command.startsWith('exit') }
  },
}
