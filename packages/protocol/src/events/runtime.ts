import { z } from 'zod'
import { JsonObject } from '../json.ts'
import { eventOf } from './envelope.ts'

export const ModelRequestRetrying = eventOf('ModelRequestRetrying', {
  attempt: z.int(),
  maxRetries: z.int(),
  delayMs: z.number(),
  status: z.int().nullable(),
  error: z.string(),
})

export const ModelFellBack = eventOf('ModelFellBack', { from: z.string(), to: z.string(), reason: z.string() })

export const ModelChanged = eventOf('ModelChanged', { from: z.string(), to: z.string(), by: z.string() })

export const AgentContextCompacted = eventOf('AgentContextCompacted', {
  preTokens: z.number(),
  trigger: z.string(),
})

export const McpServerStatusChanged = eventOf('McpServerStatusChanged', {
  name: z.string(),
  status: z.string(),
  error: z.string().nullable(),
})

export const BackendCrashed = eventOf('BackendCrashed', {
  exitCode: z.int().nullable(),
  signal: z.string().nullable(),
  /** The last lines the process wrote to stderr. */
  stderr: z.string(),
})

/** What the translation does not know is kept, not dropped. */
export const RawBackendMessage = eventOf('RawBackendMessage', { kind: z.string(), message: JsonObject })

/** Something the operator should know about how this session is protected. */
export const SecurityNoticed = eventOf('SecurityNoticed', { code: z.string(), sentence: z.string() })
