// The state of a session, folded from its log: the engine decides on it and clients see it.
import { z } from 'zod'
import { PermissionMode, PermissionRule } from '../../access/tool-permissions.ts'
import { AgentName, Limits, ModelSource } from '../../agents/agent-definition.ts'
import { AgentPath } from '../../events/envelope.ts'
import { BudgetSum, ModelUsage, SessionMode, Thinking } from '../../events/lifecycle.ts'
import { MessageDelivery, MessageOrigin } from '../../events/messages.ts'
import {
  ApprovalDecision,
  ApprovalRequested,
  ClientTool,
  ClientToolCalled,
  QuestionAsked,
} from '../../events/people.ts'
import { Unreported, UnreportedAnswer, UnreportedResult } from '../../events/unreported.ts'
import { TokenCounts } from '../../models/token-counts.ts'
import { ApprovalId, BudgetId, ClientCallId, QuestionId, SessionId, TurnId, UserMessageId } from '../../values/ids.ts'
import { JsonObject } from '../../values/json.ts'
import { SessionStatus } from '../../values/session-status.ts'

/** The event of an ask. */
const asked = {
  sessionId: SessionId,
  seq: z.int(),
  at: z.iso.datetime(),
  agent: AgentPath,
  /** The turn that asked. When it is over, no process waits for the answer. */
  turnId: TurnId.nullable(),
}

export const QueuedMessage = z.object({
  messageId: UserMessageId,
  content: z.string(),
  origin: MessageOrigin,
  by: z.string(),
  at: z.iso.datetime(),
  delivery: MessageDelivery,
  /** The number of images, and the event that has them; absent without any. */
  images: z.object({ count: z.int().positive(), seq: z.int() }).optional(),
})
export type QueuedMessage = z.infer<typeof QueuedMessage>

export const OpenApproval = ApprovalRequested.shape.data.extend(asked).meta({ id: 'OpenApproval' })
export type OpenApproval = z.infer<typeof OpenApproval>

const DecidedApproval = z.object({
  approvalId: ApprovalId,
  decision: ApprovalDecision.or(z.literal('expired')),
  by: z.string(),
  at: z.iso.datetime(),
})

/** Allows one re-issued call, once. */
export const Grant = z.object({
  approvalId: ApprovalId,
  toolName: z.string(),
  toolInput: JsonObject,
  /** Of exactly the input that was approved; absent in old logs. */
  inputHash: z.string().optional(),
  /** The event of the ask; absent in old logs. */
  seq: z.int().optional(),
})
export type Grant = z.infer<typeof Grant>

export const OpenQuestion = QuestionAsked.shape.data.extend(asked).meta({ id: 'OpenQuestion' })
export type OpenQuestion = z.infer<typeof OpenQuestion>

export const OpenClientCall = ClientToolCalled.shape.data.extend(asked).meta({ id: 'OpenClientCall' })
export type OpenClientCall = z.infer<typeof OpenClientCall>

/** A question or a client's call that is over. */
const SettledAsk = z.object({
  id: z.union([QuestionId, ClientCallId]),
  how: z.enum(['answered', 'declined', 'returned', 'expired']),
  by: z.string(),
  at: z.iso.datetime(),
})

export const AnswerInUse = z.object({
  /** The call that continues with the answer; `null` if the backend does not name it. */
  toolUseId: z.string().nullable(),
  /** The call has its result. The process may still lose it until the agent continues. */
  hasResult: z.boolean(),
  report: Unreported,
})
export type AnswerInUse = z.infer<typeof AnswerInUse>

/** An attached client and the tools it runs. The first in the list leads. */
export const AttachedClient = z.object({ clientId: z.string(), tools: z.array(ClientTool), at: z.iso.datetime() })
export type AttachedClient = z.infer<typeof AttachedClient>

export const SessionState = z
  .object({
    sessionId: SessionId,
    /** The last folded event. */
    seq: z.int(),
    status: SessionStatus,
    statusReason: z.string().nullable(),
    mode: SessionMode,
    agentName: AgentName,
    /** A full id, or `auto`. */
    model: z.string(),
    /** The model of the last turn. */
    lastModel: z.string().nullable(),
    modelSource: ModelSource,
    permissionMode: PermissionMode,
    thinking: Thinking,
    limits: Limits,
    cwd: z.string(),
    title: z.string(),
    tags: z.array(z.string()),
    owner: z.string(),
    /** Absent if its owner started it. */
    startedBy: z.string().optional(),
    /** Instructions appended to those of the agent file. */
    instructions: z.string().optional(),
    /** All its tools, if it has fewer than its agent. */
    allowedTools: z.array(z.string()).optional(),
    isArchived: z.boolean(),
    /** It has no process, and needs none until the next request. */
    isHibernated: z.boolean(),
    forkedFrom: z.object({ sessionId: SessionId, seq: z.int() }).nullable(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    /** One line about the last activity, for lists. */
    activity: z.string(),
    backendSessionId: z.string().nullable(),
    turn: z
      .object({
        turnId: TurnId,
        startedAt: z.iso.datetime(),
        /** The messages of its prompt: unsaved ones of earlier turns, then its own. */
        messageIds: z.array(UserMessageId),
        /** Its message, until the agent has shown that it received it. */
        opening: QueuedMessage.nullable(),
      })
      .nullable(),
    /**
     * Messages of users that the agent's process may not have saved, because the agent has not finished any part of its
     * answer. If the process dies, a resume queues them again, and the prompt of any other turn repeats them.
     */
    unsaved: z.array(QueuedMessage),
    /** The last turn was stopped before its work was done: by a pause, a limit, a crash. */
    wasCutOff: z.boolean(),
    /** Turns in a row that failed. */
    failedTurns: z.int(),
    /** While it is stopped for money: the label of the exhausted budget; `null` for its own limit. */
    stoppedBy: z.string().nullable(),
    /** The spent amount and the limit of that budget; absent for its own limit. */
    stoppedSum: BudgetSum.optional(),
    /** That budget by its id; absent for its own limit. */
    stoppedBudgetId: BudgetId.optional(),
    /** Since when it is stopped for money. */
    stoppedAt: z.iso.datetime().optional(),
    /** Agent loop iterations so far, against `limits.maxTurns`. */
    numTurns: z.int(),
    costUsd: z.number(),
    /** True if some request had no price: the sum above is then a lower bound. */
    hasUnpricedUsage: z.boolean(),
    units: z.number(),
    /** The cost of the same tokens on the `high` model; only known prices. */
    highCostUsd: z.number(),
    tokens: TokenCounts,
    /** The working time of the agent, without waiting for people. */
    durationMs: z.number(),
    durationApiMs: z.number(),
    modelUsage: ModelUsage,
    permissionDenials: z.array(JsonObject),
    lastResult: z.string().nullable(),
    queued: z.array(QueuedMessage),
    /** Passed into the running turn since it began: they are queued again if it crashes. */
    steered: z.array(QueuedMessage),
    /** The latest messages, to recognize a retry. */
    recentMessages: z.array(UserMessageId),
    approvals: z.array(OpenApproval),
    decided: z.array(DecidedApproval),
    grants: z.array(Grant),
    unreported: z.array(Unreported),
    /** Given to the running turn, which may not have used them: reported if its process dies. */
    answersInUse: z.array(AnswerInUse),
    /** Already reported, but still valid for the same question or call in the turn that got the report. */
    kept: z.array(z.discriminatedUnion('type', [UnreportedAnswer, UnreportedResult])),
    questions: z.array(OpenQuestion),
    clientCalls: z.array(OpenClientCall),
    settled: z.array(SettledAsk),
    clients: z.array(AttachedClient),
    rules: z.array(PermissionRule),
    openTools: z.array(z.object({ toolUseId: z.string(), toolName: z.string(), agent: AgentPath })),
    lastError: z.string().nullable(),
  })
  .meta({ id: 'Session' })
export type SessionState = z.infer<typeof SessionState>

/** Its own limit stopped it. The sum does not tell: a request larger than the remaining money stops it too. */
export const isOutOfOwnMoney = ({ status, stoppedBy }: Pick<SessionState, 'status' | 'stoppedBy'>): boolean =>
  status === 'stopped_budget' && stoppedBy === null

/** Another turn would end before it begins. */
export const isOutOfTime = ({ durationMs, limits }: Pick<SessionState, 'durationMs' | 'limits'>): boolean =>
  durationMs >= limits.maxDurationMs

/** The state is rewritten with every append, so its history is bounded. The log has everything. */
export const historyLimit = 200
