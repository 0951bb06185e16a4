import { z } from 'zod'
import { PermissionMode } from '../access/permissions.ts'
import { AgentName, Limits, ModelSource } from '../agents/agent-definition.ts'
import { BudgetId, SessionId, UserMessageId } from '../values/ids.ts'
import { JsonObject } from '../values/json.ts'
import { SessionStatus } from '../values/session-status.ts'
import { eventOf } from './envelope.ts'

export const SessionMode = z.enum(['task', 'chat'])
export type SessionMode = z.infer<typeof SessionMode>

/** Per model, with the SDK's own field names. */
export const ModelUsage = z.record(z.string(), z.looseObject({ inputTokens: z.number(), outputTokens: z.number() }))
export type ModelUsage = z.infer<typeof ModelUsage>

/** How much a model may think before it answers; `null` where it does not. */
export const Thinking = z.object({ budgetTokens: z.int().positive() }).nullable()
export type Thinking = z.infer<typeof Thinking>

/** `model` is a full id, or `auto`: then each turn says what it chose. */
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
  /** Who started it, where that is not its owner: one of several keys that belong to them. */
  startedBy: z.string().optional(),
  /** Said to the agent behind what its file says. */
  instructions: z.string().optional(),
  /** All tools this session has: fewer than its agent. */
  allowedTools: z.array(z.string()).optional(),
  thinking: Thinking.optional(),
  /** The session this one branched off, and the last event of it that it knows. */
  forkedFrom: z.object({ sessionId: SessionId, seq: z.int() }).optional(),
  /** The backend's id of the conversation it begins with. */
  backendSessionId: z.string().optional(),
  /** What its id would have been made from: the same creation sent again finds this session. */
  seed: z.string().optional(),
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

export const BudgetSum = z.object({ unit: z.enum(['usd', 'units']), spent: z.number(), limit: z.number() })
export type BudgetSum = z.infer<typeof BudgetSum>

export const AgentSessionBudgetExceeded = eventOf('AgentSessionBudgetExceeded', {
  totalCostUsd: z.number().nullable(),
  limitUsd: z.number(),
  /** Which budget stopped it, in words; absent for the session's own. */
  budget: z.string().optional(),
  /** The same budget by its id; absent for the session's own. */
  budgetId: BudgetId.optional(),
  /** What that budget has spent, and of how much; the sums above are the session's. */
  sum: BudgetSum.optional(),
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

/** Another session went its own way from here; it has all events up to `seq`. */
export const AgentSessionForked = eventOf('AgentSessionForked', {
  toSessionId: SessionId,
  seq: z.int(),
  by: z.string(),
})

/** The agent has forgotten this message and everything after it. The log has not. */
export const AgentSessionRewound = eventOf('AgentSessionRewound', {
  /** The message the conversation is back in front of. */
  messageId: UserMessageId,
  /** The backend's id of the conversation that ends there; `null` for an empty one. */
  backendSessionId: z.string().nullable(),
  /** The event that delivered the message: what was asked since is forgotten, also where it was answered. */
  fromSeq: z.int().optional(),
  by: z.string(),
})

/** The process went, the session did not: the next message brings it back. */
export const AgentSessionHibernated = eventOf('AgentSessionHibernated', {
  reason: z.enum(['idle', 'memory', 'waiting', 'recycled', 'drain']),
})

export const AgentSessionWoken = eventOf('AgentSessionWoken', { reason: z.enum(['message', 'intent']) })

/** Only what changed is there. */
export const AgentSessionDetailsChanged = eventOf('AgentSessionDetailsChanged', {
  title: z.string().optional(),
  tags: z.array(z.string()).optional(),
  isArchived: z.boolean().optional(),
  by: z.string(),
})
