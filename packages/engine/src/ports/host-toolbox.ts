// The port between a session and the tools that the engine runs for it.
import type { AgentDefinition, JsonObject, SessionId } from '@quarterdeck/protocol'
import type { ModelAccess } from './model-access.ts'
import type { QuestionAsker } from './question-asker.ts'
import type { ToolCall, ToolOutput } from './tool-call.ts'

/** A tool that the engine runs itself: from the agent file, or from an MCP server that the file names. */
export interface HostTool {
  /** The name for the model: `mcp__tools__<name>` or `mcp__<server>__<tool>`. */
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
}

export interface McpServerState {
  readonly name: string
  readonly status: 'connecting' | 'connected' | 'failed' | 'restarting'
  readonly error: string | null
}

/**
 * The tools of one session that run in this process, the same on every backend. The backend asks the gate and the hooks
 * before it calls one, as for its own tools.
 */
export interface HostToolbox {
  /** The current tools. They change when a module is reloaded or a server offers other tools. */
  list(): readonly HostTool[]
  /** Calls back when the list has changed. Returns the unsubscribe function. */
  onChange(listener: () => void): () => void
  servers(): readonly McpServerState[]
  /** Calls back when the state of a server has changed. Returns the unsubscribe function. */
  onServer(listener: (server: McpServerState) => void): () => void
  /** Never rejects: a failure is an error result with a message for the model. */
  call(call: ToolCall, signal: AbortSignal): Promise<ToolOutput>
}

export interface ToolboxOpening {
  readonly sessionId: SessionId
  /** Absolute working folder of the session. */
  readonly cwd: string
  /** The current model of the session, for tools that ask a model themselves. */
  readonly model: () => string
  readonly modelAccess: ModelAccess
  /** For MCP servers that ask a person. */
  readonly questions: QuestionAsker
  /** Aborts when the toolbox is no longer needed. */
  readonly signal: AbortSignal
}

export interface OpenHostToolbox extends HostToolbox {
  /** Stops every server that the toolbox started. Idempotent. */
  close(): Promise<void>
}

/**
 * Starts everything that the agent's tools need and resolves when every tool can be called. A tool that fails to start
 * throws `tool.unavailable` with advice, unless it says `on_failure: warn`. When the signal aborts, everything started is
 * closed and the signal's reason is thrown.
 */
export type OpenToolbox = (agent: AgentDefinition, opening: ToolboxOpening) => Promise<OpenHostToolbox>

export interface Completion {
  readonly model: string
  readonly prompt: string
  readonly maxTokens: number | null
  readonly temperature: number | null
}

/** One question to a model without a conversation, recorded like every request of its session. */
export type Complete = (access: ModelAccess, completion: Completion, signal: AbortSignal) => Promise<string>

/** A tool that searches documents. */
export interface SearchTool {
  readonly hostTool: HostTool
  /** Throws `tool.unavailable`. */
  search(query: string, options: { topK?: number | undefined }, signal: AbortSignal): Promise<{ readonly text: string }>
  /** Releases the index, which is closed with its last user. Idempotent. */
  close(): Promise<void>
}

/** Opens the search tools of an agent and brings their documents up to date. Throws `tool.unavailable`. */
export type OpenSearchTools = (agent: AgentDefinition, signal: AbortSignal) => Promise<readonly SearchTool[]>
