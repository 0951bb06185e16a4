import { z } from 'zod'
import { PermissionMode } from '../access/tool-permissions.ts'
import { AgentName, Limits, ModelSource } from '../agents/agent-definition.ts'
import { BudgetId, SessionId, UserMessageId } from '../values/ids.ts'
import { JsonObject } from '../values/json.ts'
import { SessionStatus } from '../values/session-status.ts'
import { eventOf } from './envelope.ts'
import { UnsavedMessage } from './messages.ts'

export const SessionMode = z.enum(['task', 'chat'])
export type SessionMode = z.infer<typeof SessionMode>

/** Per model, with the SDK's own field names. */
export const ModelUsage = z.record(z.string(), z.looseObject({ inputTokens: z.number(), outputTokens: z.number() }))
export type ModelUsage = z.infer<typeof ModelUsage>

/** How much a model may think before it answers; `null` if thinking is off. */
export const Thinking = z.object({ budgetTokens: z.int().positive() }).nullable()
export type Thinking = z.infer<typeof Thinking>

/** `model` is a full id, or `auto`: then each turn records its choice. */
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
  /** The key that started it, if that is not its owner. */
  startedBy: z.string().optional(),
  /** Instructions appended to those of the agent file. */
  instructions: z.string().optional(),
  /** All tools of this session: fewer than its agent has. */
  allowedTools: z.array(z.string()).optional(),
  thinking: Thinking.optional(),
  /** The forked session, and the last event that the fork shares with it. */
  forkedFrom: z.object({ sessionId: SessionId, seq: z.int() }).optional(),
  /** The backend's id of the conversation it begins with. */
  backendSessionId: z.string().optional(),
  /** Messages that the conversation it begins with may not contain. */
  unsaved: z.array(UnsavedMessage).optional(),
  /** The seed of its id: the same creation sent again finds this session. */
  seed: z.string().optional(),
})

/** A backend process is ready. Repeated after each wake: `backendSessionId` names the resumed conversation. */
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

/** The only event that changes `status`. */
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
  /** The label of the budget that stopped it; absent for the session's own. */
  budget: z.string().optional(),
  /** The same budget by its id; absent for the session's own. */
  budgetId: BudgetId.optional(),
  /** The spent amount and the limit of that budget; the sums above are the session's. */
  sum: BudgetSum.optional(),
})

export const AgentSessionTurnLimitReached = eventOf('AgentSessionTurnLimitReached', {
  numTurns: z.int(),
  limit: z.int(),
})

/** The server restarted after a crash during work. */
export const AgentSessionRecovered = eventOf('AgentSessionRecovered', {
  interruptedTurn: z.boolean(),
  /** Calls that were running: it is unknown whether they had an effect. */
  outcomeUnknown: z.array(z.object({ toolUseId: z.string(), toolName: z.string() })),
  openApprovals: z.int(),
})

/** Another session was forked here; it has all events up to `seq`. */
export const AgentSessionForked = eventOf('AgentSessionForked', {
  toSessionId: SessionId,
  seq: z.int(),
  by: z.string(),
})

/** This message and everything after it is removed from the agent's conversation, but not from the log. */
export const AgentSessionRewound = eventOf('AgentSessionRewound', {
  /** The conversation now ends before this message. */
  messageId: UserMessageId,
  /** The backend's id of the conversation that ends there; `null` for an empty one. */
  backendSessionId: z.string().nullable(),
  /** The event that delivered the message: later asks are discarded, even answered ones. */
  fromSeq: z.int().optional(),
  /** Messages that the conversation may no longer contain, although they are before the message. */
  unsaved: z.array(UnsavedMessage).optional(),
  by: z.string(),
})

/** The process ended, but the session did not: the next message starts a process again. */
export const AgentSessionHibernated = eventOf('AgentSessionHibernated', {
  reason: z.enum(['idle', 'memory', 'waiting', 'recycled', 'drain']),
})

export const AgentSessionWoken = eventOf('AgentSessionWoken', { reason: z.enum(['message', 'intent']) })

/** Contains only changed values. */
export const AgentSessionDetailsChanged = eventOf('AgentSessionDetailsChanged', {
  title: z.string().optional(),
  tags: z.array(z.string()).optional(),
  isArchived: z.boolean().optional(),
  by: z.string(),
})
