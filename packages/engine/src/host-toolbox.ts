// The port between a session and the tools that the engine runs for it.
import type { AgentDefinition, SessionId } from '@quarterdeck/protocol'
import type { HostToolbox, ModelAccess, PersonAsker } from './backends/backend.ts'

export interface ToolboxOpening {
  readonly sessionId: SessionId
  /** Absolute folder the session works in. */
  readonly cwd: string
  /** For tools that ask a model themselves. */
  readonly model: string
  readonly modelAccess: ModelAccess
  /** For MCP servers that ask a person. */
  readonly questions: PersonAsker
}

export interface OpenHostToolbox extends HostToolbox {
  /** Ends every server it started. Idempotent. */
  close(): Promise<void>
}

/**
 * Starts what the agent's tools need and resolves when all of it can be called. Throws `tool.unavailable` with what to do
 * about it, unless the tool says `on_failure: warn`.
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
