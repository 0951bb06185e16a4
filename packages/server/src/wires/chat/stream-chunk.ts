// Everything this wire sends is one of these, with all four keys. What its first server never sent comes under types of
// its own, which old front ends leave alone.
import { type JsonObject, QuarterdeckError } from '@quarterdeck/protocol'

export type ChunkType =
  | 'connected'
  | 'text'
  | 'thinking'
  | 'tool_use'
  | 'tool_result'
  | 'error'
  | 'reset_complete'
  | 'model_changed'
  | 'approval_request'
  | 'approval_settled'
  | 'question'
  | 'question_settled'
  | 'text_discarded'

export interface StreamChunk {
  readonly type: ChunkType
  readonly content: string
  /** Nothing more comes for what was asked. */
  readonly completed: boolean
  readonly metadata: JsonObject | null
}

export const chunk = (type: ChunkType, content: string, metadata: JsonObject | null = null): StreamChunk => ({
  type,
  content,
  completed: type === 'error' || type === 'reset_complete',
  metadata,
})

/** How a turn ends: with nothing more to say. */
export const turnEndChunk = (metadata: JsonObject): StreamChunk => ({ ...chunk('text', '', metadata), completed: true })

/** The words of its first server, for the agent that server had; any other says its name. */
export const greetingOf = (agent: string): string =>
  /netbox/i.test(agent)
    ? 'Connected to Netbox chatbox. Ask me about your Netbox infrastructure!'
    : `Connected to ${agent}. Ask me anything!`
export const resetText = 'Conversation context has been reset. Starting fresh!'
export const switchedText = (label: string): string => `Switched to ${label}. Context has been reset.`

/** The sentence of an expected failure; of any other nothing of the inside. */
export const reasonOf = (error: unknown): string =>
  error instanceof QuarterdeckError && error.code !== 'internal'
    ? error.message
    : 'the server failed on this; its log says why'
