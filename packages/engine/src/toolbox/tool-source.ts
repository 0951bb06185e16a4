// One kind of tool in a toolbox. The toolbox gives what all of them share: names, lists, sentences for what goes wrong.
import type { SessionId } from '@quarterdeck/protocol'
import type { HostTool, McpServerState, ToolCall, ToolOutput } from '../backends/backend.ts'

export interface ToolSource {
  list(): readonly HostTool[]
  /** Only for what it lists. What it throws becomes an error result with the message. */
  call(call: ToolCall, signal: AbortSignal): Promise<ToolOutput>
  close(): Promise<void>
}

/** What a part tells of itself. */
export interface ToolSourceEvents {
  changed(): void
  server(state: McpServerState): void
}

export interface ToolSourceContext {
  readonly agentName: string
  readonly sessionId: SessionId
  /** Absolute folder the session works in. */
  readonly cwd: string
  /** Absolute folder of the agent file. */
  readonly project: string
  readonly events: ToolSourceEvents
}

export const failed = (output: string): ToolOutput => ({ output, isError: true })
