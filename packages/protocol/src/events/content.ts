import { z } from 'zod'
import { JsonObject } from '../values/json.ts'
import { AgentPath, eventOf } from './envelope.ts'

export const AgentThought = eventOf('AgentThought', { text: z.string(), messageId: z.string() })

export const AgentThinking = eventOf('AgentThinking', { text: z.string(), messageId: z.string() })

export const AgentInvokedTool = eventOf('AgentInvokedTool', {
  toolName: z.string(),
  toolInput: JsonObject,
  toolUseId: z.string(),
  messageId: z.string(),
})

export const ToolExecuted = eventOf('ToolExecuted', {
  toolName: z.string(),
  toolUseId: z.string(),
  output: z.string(),
  isError: z.boolean(),
  durationMs: z.number().nullable(),
  /** The input that ran, if a hook or a person changed it. */
  changedInput: JsonObject.optional(),
  /** Refused, or stopped with its turn: the text is the backend's, not the tool's. A stopped call may have begun. */
  withoutResult: z.boolean().optional(),
  /** No call with this id was seen: shown separately, never dropped. */
  unattached: z.boolean().optional(),
})

export const SubagentThought = eventOf('SubagentThought', {
  parentToolUseId: z.string(),
  text: z.string(),
  messageId: z.string(),
})

export const SubagentStarted = eventOf('SubagentStarted', {
  agentId: z.string(),
  agentType: z.string(),
  parentToolUseId: z.string(),
  description: z.string(),
})

export const SubagentStopped = eventOf('SubagentStopped', {
  agentId: z.string(),
  parentToolUseId: z.string(),
  isError: z.boolean(),
  summary: z.string(),
})

/** Text that was shown while it streamed and never became a message. */
export const AgentStreamDiscarded = eventOf('AgentStreamDiscarded', {
  text: z.string(),
  messageId: z.string(),
  reason: z.string(),
})

/** Forwarded as it arrives, never numbered, never stored. */
const ephemeralOf = <Type extends string, Data extends z.ZodRawShape>(type: Type, data: Data) =>
  z.object({ type: z.literal(type), agent: AgentPath, data: z.object(data) })

const streamedText = { text: z.string(), messageId: z.string(), kind: z.enum(['text', 'thinking']) }

export const AgentStreamToken = ephemeralOf('AgentStreamToken', streamedText)
export type AgentStreamToken = z.infer<typeof AgentStreamToken>

/** The whole text of an open message. */
export const AgentStreamSnapshot = ephemeralOf('AgentStreamSnapshot', streamedText)
export type AgentStreamSnapshot = z.infer<typeof AgentStreamSnapshot>

/** The position of a session in a queue; `null` once it is out. Positions count from 1. */
export const QueuePosition = z.object({
  /**
   * The resource it waits for: a process (memory), a running turn (processors), the provider's rate, its agent's own
   * limit.
   */
  reason: z.enum(['process', 'turn', 'rate', 'agent']),
  position: z.int().positive(),
  waiting: z.int().positive(),
})
export type QueuePosition = z.infer<typeof QueuePosition>

export const QueuePlaceChanged = ephemeralOf('QueuePlaceChanged', { queuePosition: QueuePosition.nullable() })
export type QueuePlaceChanged = z.infer<typeof QueuePlaceChanged>
