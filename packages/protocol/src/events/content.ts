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
  /** What it ran with, where a hook or a person changed what the agent asked for. */
  changedInput: JsonObject.optional(),
  /** Refused, or stopped with its turn: the words are the backend's, not the tool's. A stopped one may have begun. */
  withoutResult: z.boolean().optional(),
  /** No call with this id was seen: shown as unattached, never dropped. */
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

/** Text a person saw while it streamed and that never became a message. */
export const AgentStreamDiscarded = eventOf('AgentStreamDiscarded', {
  text: z.string(),
  messageId: z.string(),
  reason: z.string(),
})

// Ephemeral: sent on as they come, never numbered, never stored. A snapshot holds the whole text of an open message.

export const AgentStreamToken = z.object({
  type: z.literal('AgentStreamToken'),
  agent: AgentPath,
  data: z.object({ text: z.string(), messageId: z.string(), kind: z.enum(['text', 'thinking']) }),
})
export type AgentStreamToken = z.infer<typeof AgentStreamToken>

export const AgentStreamSnapshot = z.object({
  type: z.literal('AgentStreamSnapshot'),
  agent: AgentPath,
  data: z.object({ text: z.string(), messageId: z.string(), kind: z.enum(['text', 'thinking']) }),
})
export type AgentStreamSnapshot = z.infer<typeof AgentStreamSnapshot>

/** Where a session stands in a line; `null` once it is through. Positions count from 1. */
export const QueuePosition = z.object({
  /** What it waits for: a process (memory), a running turn (processors), the provider's rate, its agent's own limit. */
  reason: z.enum(['process', 'turn', 'rate', 'agent']),
  position: z.int().positive(),
  waiting: z.int().positive(),
})
export type QueuePosition = z.infer<typeof QueuePosition>

export const QueuePlaceChanged = z.object({
  type: z.literal('QueuePlaceChanged'),
  agent: AgentPath,
  data: z.object({ queuePosition: QueuePosition.nullable() }),
})
export type QueuePlaceChanged = z.infer<typeof QueuePlaceChanged>
