import { z } from 'zod'
import { PermissionMode } from '../access/tool-permissions.ts'
import { UserMessageId } from '../values/ids.ts'
import { JsonObject } from '../values/json.ts'
import { eventOf } from './envelope.ts'
import { Thinking } from './lifecycle.ts'

export const ModelRequestRetrying = eventOf('ModelRequestRetrying', {
  attempt: z.int(),
  maxRetries: z.int(),
  delayMs: z.number(),
  status: z.int().nullable(),
  error: z.string(),
  /** Who retries: the agent's own process, or the gateway before it. Absent means `backend`. */
  source: z.enum(['backend', 'gateway']).optional(),
})

export const ModelFellBack = eventOf('ModelFellBack', { from: z.string(), to: z.string(), reason: z.string() })

export const ModelChanged = eventOf('ModelChanged', { from: z.string(), to: z.string(), by: z.string() })

export const PermissionModeChanged = eventOf('PermissionModeChanged', {
  from: PermissionMode,
  to: PermissionMode,
  by: z.string(),
})

export const ThinkingChanged = eventOf('ThinkingChanged', { from: Thinking, to: Thinking, by: z.string() })

/** The conversation fills most of the model's context window and is compacted soon. */
export const ContextNearingLimit = eventOf('ContextNearingLimit', { usedTokens: z.int(), contextWindow: z.int() })

/** The files before this message can be restored. */
export const FilesCheckpointed = eventOf('FilesCheckpointed', { messageId: UserMessageId })

export const FilesRewound = eventOf('FilesRewound', {
  messageId: UserMessageId,
  /** Relative to the working directory. */
  restored: z.array(z.string()),
  /** Changed since then and not restored, with the reason. */
  notRestored: z.array(z.object({ path: z.string(), reason: z.string() })),
  by: z.string(),
})

export const AgentContextCompacted = eventOf('AgentContextCompacted', { preTokens: z.number(), trigger: z.string() })

export const McpServerStatusChanged = eventOf('McpServerStatusChanged', {
  name: z.string(),
  status: z.string(),
  error: z.string().nullable(),
})

export const BackendCrashed = eventOf('BackendCrashed', {
  exitCode: z.int().nullable(),
  signal: z.string().nullable(),
  /** The last lines that the process wrote to stderr. */
  stderr: z.string(),
})

/** A message that the translation does not know. It is stored, not dropped. */
export const RawBackendMessage = eventOf('RawBackendMessage', { kind: z.string(), message: JsonObject })

/** A warning about the protection of this session. Its codes are in stored logs, so they never change. */
export const SecurityNoticed = eventOf('SecurityNoticed', { code: z.string(), sentence: z.string() })
