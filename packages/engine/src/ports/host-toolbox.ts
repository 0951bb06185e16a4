// The port between a session and the tools that the engine runs for it.
import type { AgentDefinition, SessionId } from '@quarterdeck/protocol'
import type { HostTool, HostToolbox, ModelAccess, QuestionAsker } from '../backends/backend.ts'

export interface ToolboxOpening {
  readonly sessionId: SessionId
  /** Absolute folder the session works in. */
  readonly cwd: string
  /** For tools that ask a model themselves: the one the session has by now. */
  readonly model: () => string
  readonly modelAccess: ModelAccess
  /** For MCP servers that ask a person. */
  readonly questions: QuestionAsker
  /** Aborts when nobody waits for the toolbox any more. */
  readonly signal: AbortSignal
}

export interface OpenHostToolbox extends HostToolbox {
  /** Ends every server it started. Idempotent. */
  close(): Promise<void>
}

/**
 * Starts what the agent's tools need and resolves when all of it can be called. Throws `tool.unavailable` with what to do
 * about it, unless the tool says `on_failure: warn`. When the signal aborts it leaves nothing open and throws its reason.
 */
export type OpenToolbox = (agent: AgentDefinition, opening: ToolboxOpening) => Promise<OpenHostToolbox>

export interface Completion {
  readonly model: string
  readonly prompt: string
  readonly maxTokens: number | null
  readonly temperature: number | null
}

/** One question to a model without a conversation, booked like every request of its session. */
export type Complete = (access: ModelAccess, completion: Completion, signal: AbortSignal) => Promise<string>

/** A tool that searches documents. */
export interface SearchTool {
  readonly hostTool: HostTool
  /** Throws `tool.unavailable`. */
  search(query: string, options: { topK?: number | undefined }, signal: AbortSignal): Promise<{ readonly text: string }>
  /** Nobody searches with it any more: what it keeps open may be closed. Idempotent. */
  close(): Promise<void>
}

/** Those of the agent that can be called, their documents up to date. Throws `tool.unavailable`. */
export type OpenSearchTools = (agent: AgentDefinition, signal: AbortSignal) => Promise<readonly SearchTool[]>
