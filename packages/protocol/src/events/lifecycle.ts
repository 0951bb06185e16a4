import { z } from 'zod'
import { AgentName, Limits, ModelSource } from '../agent.ts'
import { JsonObject } from '../json.ts'
import { PermissionMode } from '../permissions.ts'
import { SessionStatus } from '../session-status.ts'
import { eventOf } from './envelope.ts'

export const SessionMode = z.enum(['task', 'chat'])
export type SessionMode = z.infer<typeof SessionMode>

/** Per model, with the SDK's own field names. */
export const ModelUsage = z.record(z.string(), z.looseObject({ inputTokens: z.number(), outputTokens: z.number() }))
export type ModelUsage = z.infer<typeof ModelUsage>

export const AgentSessionCreated = eventOf('AgentSessionCreated', {
  agentName: AgentName,
  mode: SessionMode,
  model: z.string(),
  modelSource: ModelSource,
  permissionMode: PermissionMode,
  limits: Limits,
  cwd: z.string(),
  title: z.string().nullable(),
  tags: z.array(z.string()),
  owner: z.string(),
})

/** A backend process is ready. Comes again after each wake: `backendSessionId` says what it resumed. */
export const AgentSessionStarted = eventOf('AgentSessionStarted', {
  sessionId: z.string(),
  model: z.string(),
  tools: z.array(z.string()),
  cwd: z.string(),
  permissionMode: PermissionMode,
  mcpServers: z.array(z.looseObject({ name: z.string(), status: z.string() })),
  slashCommands: z.array(z.string()),
  apiKeySource: z.string(),
  outputStyle: z.string(),
  backendSessionId: z.string(),
  modelSource: ModelSource,
})

/** The only event that moves `status`. */
export const AgentSessionStatusChanged = eventOf('AgentSessionStatusChanged', {
  from: SessionStatus,
  to: SessionStatus,
  reason: z.string().nullable(),
})

export const AgentSessionCompleted = eventOf('AgentSessionCompleted', {
  totalCostUsd: z.number().nullable(),
  modelUsage: ModelUsage,
  numTurns: z.int(),
  durationMs: z.number(),
  durationApiMs: z.number(),
  result: z.string().nullable(),
  structuredOutput: z.unknown().optional(),
  permissionDenials: z.array(JsonObject),
})

export const AgentSessionFailed = eventOf('AgentSessionFailed', { errors: z.array(z.string()), reason: z.string() })

export const AgentSessionBudgetExceeded = eventOf('AgentSessionBudgetExceeded', {
  totalCostUsd: z.number().nullable(),
  limitUsd: z.number(),
})

export const AgentSessionTurnLimitReached = eventOf('AgentSessionTurnLimitReached', {
  numTurns: z.int(),
  limit: z.int(),
})

/** The server came back after it died in the middle of something. */
export const AgentSessionRecovered = eventOf('AgentSessionRecovered', {
  interruptedTurn: z.boolean(),
  /** Calls that were running: whether they had their effect is unknown. */
  outcomeUnknown: z.array(z.object({ toolUseId: z.string(), toolName: z.string() })),
  openApprovals: z.int(),
})
