// One kind of tool in a toolbox, which provides the shared parts: names, lists, error messages.
import type { SessionId } from '@quarterdeck/protocol'
import type { HostTool, McpServerState } from '../ports/host-toolbox.ts'
import type { ToolCall, ToolOutput } from '../ports/tool-call.ts'

export interface ToolSource {
  list(): readonly HostTool[]
  /** Called only for a listed tool. An error it throws becomes an error result with its message. */
  call(call: ToolCall, signal: AbortSignal): Promise<ToolOutput>
  close(): Promise<void>
}

/** Events of a tool source. */
export interface ToolSourceEvents {
  changed(): void
  server(state: McpServerState): void
}

export interface ToolSourceContext {
  readonly agentName: string
  readonly sessionId: SessionId
  /** Absolute working directory of the session. */
  readonly cwd: string
  /** Absolute folder of the agent file. */
  readonly project: string
  readonly events: ToolSourceEvents
}

export const failed = (output: string): ToolOutput => ({ output, isError: true })
