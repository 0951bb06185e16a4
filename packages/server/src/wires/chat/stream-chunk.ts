// The chunks of this wire, each with all four keys. Additions to the original server have their own types, which old
// front ends ignore.
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
  /** Nothing more follows for the request. */
  readonly completed: boolean
  readonly metadata: JsonObject | null
}

export const chunk = (type: ChunkType, content: string, metadata: JsonObject | null = null): StreamChunk => ({
  type,
  content,
  completed: type === 'error' || type === 'reset_complete',
  metadata,
})

/** The end of a turn, without content. */
export const turnEndChunk = (metadata: JsonObject): StreamChunk => ({ ...chunk('text', '', metadata), completed: true })

/** The greeting of the original server for its agent; other agents are named. */
export const greetingOf = (agent: string): string =>
  /netbox/i.test(agent)
    ? 'Connected to Netbox chatbox. Ask me about your Netbox infrastructure!'
    : `Connected to ${agent}. Ask me anything!`
export const resetText = 'Conversation context has been reset. Starting fresh!'
export const switchedText = (label: string): string => `Switched to ${label}. Context has been reset.`

/** The message of an expected failure; other failures reveal no details. */
export const reasonOf = (error: unknown): string =>
  error instanceof QuarterdeckError && error.code !== 'internal' ? error.message : 'the server failed; see its log'
